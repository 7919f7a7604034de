internal import Retention

// Where the parts of a rule stand in a body: for problems that name them.

extension Rule {
    /// Every treatment that may be the answer, each with its pointer.
    ///
    /// - Parameter pointer: of the rule.
    func placedTreatments(at pointer: String) -> [(place: String, treatment: Treatment)] {
        switch outcome {
        case .treatment(let treatment): treatment.placed(at: "\(pointer)/treatment")
        case .experiment(let experiment):
            experiment.arms.enumerated().flatMap { index, arm in
                arm.treatment.placed(at: "\(pointer)/experiment/arms/\(index)/treatment")
            }
        }
    }

    /// The same rule with other treatments in their places.
    func mapTreatments(_ change: (Treatment) -> Treatment) -> Rule {
        switch outcome {
        case .treatment(let treatment): return with(.treatment(treatment.mapSteps(change)))
        case .experiment(let experiment):
            let arms = experiment.arms.map { arm in
                Experiment.Arm(
                    key: arm.key, weight: arm.weight, treatment: arm.treatment.mapSteps(change),
                    buckets: arm.buckets)
            }
            return with(
                .experiment(Experiment(id: experiment.id, name: experiment.name, arms: arms)))
        }
    }
}

extension Treatment {
    fileprivate func placed(at pointer: String) -> [(place: String, treatment: Treatment)] {
        guard case .escalation(let steps) = self else { return [(pointer, self)] }
        return steps.enumerated().map { ("\(pointer)/steps/\($0)", $1) }
    }

    fileprivate func mapSteps(_ change: (Treatment) -> Treatment) -> Treatment {
        guard case .escalation(let steps) = self else { return change(self) }
        return .escalation(steps.map(change))
    }
}

extension Condition {
    /// Every test of a fact, each with its pointer.
    func placedFacts(at pointer: String) -> [(place: String, condition: FactCondition)] {
        switch self {
        case .all(let parts): Self.placed(parts, at: "\(pointer)/all")
        case .any(let parts): Self.placed(parts, at: "\(pointer)/any")
        case .not(let part): part.placedFacts(at: "\(pointer)/not")
        case .fact(let condition): [(pointer, condition)]
        case .randomShare: []
        }
    }

    private static func placed(
        _ parts: [Condition], at pointer: String
    ) -> [(place: String, condition: FactCondition)] {
        parts.enumerated().flatMap { $1.placedFacts(at: "\(pointer)/\($0)") }
    }
}
