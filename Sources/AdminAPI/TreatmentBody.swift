internal import Foundation
internal import Retention

/// What a rule, an arm or a step answers, as bodies bring it.
enum TreatmentBody {
    /// Apple's identifiers of products and offers, in UTF-16 units.
    private static let nameUnits = 1...255
    private static let planUnits = 1...64
    /// Which members there are depends on the kind.
    private static let members = [
        "messageId", "productId", "billingPlanType", "offerIdentifier", "signatureVersion",
        "messageIdentifier", "steps",
    ]

    /// - Parameter isStep: inside an escalation, which holds no other one.
    static func read(_ reader: inout BodyReader, isStep: Bool = false) -> Treatment? {
        guard reader.take("kind") != nil else {
            reader.note("kind", .required, "kind is required.")
            for name in members { _ = reader.take(name) }
            return nil
        }
        guard let kind = reader.optionalChoice("kind", Treatment.Kind.self) else {
            for name in members { _ = reader.take(name) }
            return nil
        }
        switch kind {
        case .message: return message(&reader).map { .message($0) }
        case .switchPlan: return switchPlan(&reader)
        case .promotionalOffer: return promotionalOffer(&reader)
        case .appStoreConnectMessage:
            return reader.appleIdentifier("messageIdentifier").map(
                Treatment.appStoreConnectMessage)
        case .fallback: return .fallback
        case .escalation: return escalation(&reader, isStep: isStep)
        }
    }

    private static func message(_ reader: inout BodyReader) -> MessageID? {
        reader.identifier("messageId")
    }

    private static func switchPlan(_ reader: inout BodyReader) -> Treatment? {
        let message = message(&reader)
        let productId = reader.text("productId", nameUnits)
        let plan = reader.optionalText("billingPlanType", planUnits)
        return message.map {
            .switchPlan(
                $0, productId: productId,
                billingPlanType: plan.map(BillingPlanType.init(rawValue:)))
        }
    }

    private static func promotionalOffer(_ reader: inout BodyReader) -> Treatment? {
        let message = message(&reader)
        let productId = reader.text("productId", nameUnits)
        let offer = reader.text("offerIdentifier", nameUnits)
        let version = reader.optionalInteger("signatureVersion", in: 1...2)
            .flatMap { OfferSignatureVersion(rawValue: Int($0)) }
        return message.map {
            .promotionalOffer(
                $0, productId: productId, offerIdentifier: offer, signature: version ?? .v2)
        }
    }

    private static func escalation(_ reader: inout BodyReader, isStep: Bool) -> Treatment? {
        guard !isStep else {
            _ = reader.take("steps")
            reader.note("kind", .notAllowed, "A step is no escalation of its own.")
            return nil
        }
        let limits = Treatment.escalationSteps
        if reader.take("steps") == nil { reader.note("steps", .required, "steps is required.") }
        let steps = reader.objects("steps", limit: limits.upperBound) {
            read(&$0, isStep: true)
        }
        if case .array(let given) = reader.take("steps"), given.count < limits.lowerBound {
            reader.note(
                FieldProblem(
                    .pointer(reader.path("steps")), .tooShort,
                    "An escalation has \(limits.lowerBound) to \(limits.upperBound) steps.",
                    limit: Int64(limits.lowerBound), measured: Int64(given.count)))
        }
        return .escalation(steps.compactMap(\.self))
    }

    // MARK: - The form

    static func form(_ treatment: Treatment) -> JSONTree {
        var members: [String: JSONTree] = ["kind": .string(treatment.kind.rawValue)]
        switch treatment {
        case .message(let message): members["messageId"] = .id(message)
        case .switchPlan(let message, let productId, let plan):
            members["messageId"] = .id(message)
            members["productId"] = .string(productId)
            members["billingPlanType"] = plan.map { .string($0.rawValue) }
        case .promotionalOffer(let message, let productId, let offer, let signature):
            members["messageId"] = .id(message)
            members["productId"] = .string(productId)
            members["offerIdentifier"] = .string(offer)
            members["signatureVersion"] = .integer(Int64(signature.rawValue))
        case .appStoreConnectMessage(let id): members["messageIdentifier"] = .appleId(id)
        case .fallback: break
        case .escalation(let steps): members["steps"] = .array(steps.map(form))
        }
        return .object(members)
    }
}

/// An experiment as bodies bring it. Which buckets an arm has is decided when a version is frozen:
/// `buckets` is shown, and taken back unread.
enum ExperimentBody {
    private static let arms = 2...Experiment.armsLimit
    private static let whole = Int32(Buckets.count)

    static func read(_ reader: inout BodyReader) -> Experiment? {
        let id: ExperimentID? = reader.identifier("id")
        let name = reader.text("name", bytes: Experiment.nameBytes)
        if reader.take("arms") == nil { reader.note("arms", .required, "arms is required.") }
        let arms = reader.objects("arms", limit: arms.upperBound, readArm)
        judge(arms, &reader)
        guard let id else { return nil }
        return Experiment(id: id, name: name, arms: arms.compactMap(\.arm))
    }

    private struct ReadArm {
        let key: String
        let weight: Int32
        let arm: Experiment.Arm?
    }

    private static func judge(_ read: [ReadArm], _ reader: inout BodyReader) {
        guard case .array(let given) = reader.take("arms"), given.count == read.count else {
            return
        }
        if read.count < arms.lowerBound {
            reader.note(
                FieldProblem(
                    .pointer(reader.path("arms")), .tooShort,
                    "An experiment compares \(arms.lowerBound) to \(arms.upperBound) arms.",
                    limit: Int64(arms.lowerBound), measured: Int64(read.count)))
            return
        }
        reader.noteDuplicates(read.map(\.key)) { "arms/\($0)/key" }
        let sum = read.reduce(0) { $0 + $1.weight }
        if sum != whole, read.allSatisfy({ $0.arm != nil }) {
            reader.note(
                "arms", .outOfRange,
                "The weights are \(Double(sum) / 100) percent in all; together they are 100.")
        }
    }

    private static func readArm(_ reader: inout BodyReader) -> ReadArm {
        let key = reader.text("key", bytes: Experiment.Arm.keyBytes)
        let weight = reader.percent("weight")
        let treatment = reader.object("treatment") { TreatmentBody.read(&$0) }
        passBuckets(&reader)
        return ReadArm(
            key: key, weight: weight,
            arm: (treatment ?? nil).map {
                Experiment.Arm(key: key, weight: weight, treatment: $0)
            })
    }

    private static func passBuckets(_ reader: inout BodyReader) {
        let all = Int64(Buckets.count)
        _ = reader.objects("buckets", limit: Buckets.count) { reader in
            _ = reader.integer("first", in: 0...all - 1)
            _ = reader.integer("end", in: 1...all)
        }
    }

    // MARK: - The form

    static func form(_ experiment: Experiment) -> JSONTree {
        [
            "id": .id(experiment.id), "name": .string(experiment.name),
            "arms": .array(experiment.arms.map(form)),
        ]
    }

    private static func form(_ arm: Experiment.Arm) -> JSONTree {
        var members: [String: JSONTree] = [
            "key": .string(arm.key), "weight": PercentBody.form(arm.weight),
            "treatment": TreatmentBody.form(arm.treatment),
        ]
        if !arm.buckets.isEmpty {
            members["buckets"] = .array(
                arm.buckets.map {
                    ["first": .integer(Int64($0.first)), "end": .integer(Int64($0.end))]
                })
        }
        return .object(members)
    }
}

extension BodyReader {
    /// An identifier at Apple: a UUID, in small letters as Apple writes it.
    mutating func appleIdentifier(_ name: String) -> UUID? {
        let text = text(name, 1...64)
        if text.isEmpty { return nil }
        if text == text.lowercased(), let id = UUID(uuidString: text) { return id }
        note(
            name, .badFormat,
            "\(name) is a UUID in small letters, such as 0d5f1c3e-8a42-8b6d-9e10-5f4c7a2b6d88.")
        return nil
    }
}
