internal import Retention

extension FieldProblem {
    /// What Apple would refuse, in the API's words.
    init(_ problem: ContentProblem, at place: Place) {
        self.init(
            place, Code(problem.code), "\(problem.field): \(problem.problem).",
            limit: problem.limit.map { Int64($0) }, measured: problem.measured.map { Int64($0) },
            unit: problem.unit)
    }
}

extension FieldProblem.Code {
    fileprivate init(_ code: ContentProblem.Code) {
        self =
            switch code {
            case .tooLong: .tooLong
            case .tooShort: .tooShort
            case .tooMany: .tooMany
            case .notAllowed: .notAllowed
            case .hasAlphaChannel: .hasAlphaChannel
            case .transparent: .transparent
            case .animated: .animated
            case .wrongSize: .wrongSize
            }
    }
}
