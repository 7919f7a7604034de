// The stored form of rule sets, version 2, and the reader of version 1.

extension RuleSet: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case schemaVersion, holdout, governor, rules
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .schemaVersion)
        guard (1...Self.schemaVersion).contains(version) else {
            throw DecodingError.dataCorruptedError(
                forKey: .schemaVersion, in: container,
                debugDescription: "schemaVersion \(version), this build reads 1 and 2")
        }
        if version == 1 {
            try decoder.refuseMembers(besides: ["schemaVersion", "rules"])
            let rules = try container.decode([FirstRule].self, forKey: .rules)
            // It was published when there was no holdout, and holds nobody out.
            self = RuleSet(rules: rules.map(\.rule)).read(from: version)
        } else {
            try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
            self.init(
                rules: try container.decode([Rule].self, forKey: .rules),
                holdout: try container.decode(Holdout.self, forKey: .holdout),
                governor: try container.decode(Governor.self, forKey: .governor))
        }
        guard rules.count <= Self.rulesLimit else {
            throw DecodingError.dataCorruptedError(
                forKey: .rules, in: container,
                debugDescription: "\(rules.count) rules, \(Self.rulesLimit) are allowed")
        }
        guard shares <= Self.sharesLimit else {
            throw DecodingError.dataCorruptedError(
                forKey: .rules, in: container,
                debugDescription: "\(shares) random shares, \(Self.sharesLimit) are allowed")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schemaVersion, forKey: .schemaVersion)
        try container.encode(holdout, forKey: .holdout)
        try container.encode(governor, forKey: .governor)
        try container.encode(rules, forKey: .rules)
    }
}

extension Rule: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, schedule, when, treatment, experiment
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let when = try container.decode(Condition.self, forKey: .when)
        guard when.depth <= Condition.depthLimit, when.nodes <= Condition.nodesLimit else {
            throw decoder.refusal("a condition is at most 8 deep and has at most 64 nodes")
        }
        let treatment = try container.decodeIfPresent(Treatment.self, forKey: .treatment)
        let experiment = try container.decodeIfPresent(Experiment.self, forKey: .experiment)
        let outcomes = [treatment.map(Outcome.treatment), experiment.map(Outcome.experiment)]
            .compactMap(\.self)
        guard outcomes.count == 1 else {
            throw decoder.refusal("a rule has a treatment or an experiment")
        }
        self.init(
            id: try container.decode(RuleID.self, forKey: .id),
            name: try container.decode(String.self, forKey: .name),
            schedule: try container.decodeIfPresent(Schedule.self, forKey: .schedule) ?? .always,
            when: when, outcome: outcomes[0])
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        if schedule != .always { try container.encode(schedule, forKey: .schedule) }
        try container.encode(when, forKey: .when)
        switch outcome {
        case .treatment(let treatment): try container.encode(treatment, forKey: .treatment)
        case .experiment(let experiment): try container.encode(experiment, forKey: .experiment)
        }
    }
}

/// A rule of version 1.
private struct FirstRule: Decodable {
    private struct Conditions: Decodable {
        let condition: Condition

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case productIds, languages, environments
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
            let container = try decoder.container(keyedBy: CodingKeys.self)
            condition = .of(
                productIds: try container.decodeIfPresent([String].self, forKey: .productIds),
                languages: try container.decodeIfPresent([String].self, forKey: .languages),
                environments: try container.decodeIfPresent(
                    [StoreEnvironment].self, forKey: .environments))
        }
    }

    let rule: Rule

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, when, treatment
    }

    init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rule = Rule(
            id: try container.decode(RuleID.self, forKey: .id),
            name: try container.decode(String.self, forKey: .name),
            when: try container.decode(Conditions.self, forKey: .when).condition,
            treatment: try container.decode(Treatment.self, forKey: .treatment))
    }
}
