internal import Retention

/// A rule set as a body brings it, read member by member so that one answer names all that is
/// wrong. The domain's own reader has the same members; it stops at the first fault, since what is
/// stored has none.
///
/// `docs/api/rule-set.schema.json` says the same; what no schema can say is said there in words.
enum RuleSetBody {
    /// In UTF-16 units.
    private static let nameUnits = 1...200
    private static let offersPerSubscriber: ClosedRange<Int64> = 1...100
    private static let coolDownDays: ClosedRange<Int64> = 1...3_650

    /// Stand-ins where something is wrong: look at the reader's problems first.
    static func read(_ reader: inout BodyReader) -> RuleSet {
        readVersion(&reader)
        let holdout = reader.optionalObject("holdout", readHoldout) ?? .standard
        let governor = reader.optionalObject("governor", readGovernor) ?? .none
        if reader.take("rules") == nil { reader.note("rules", .required, "rules is required.") }
        let rules = reader.objects("rules", limit: RuleSet.rulesLimit, readRule)
        noteRepeated(rules.map { $0.id?.description }, "rule", &reader) { "rules/\($0)/id" }
        noteShares(of: rules, &reader)
        let experiments = rules.map { rule -> String? in
            guard case .experiment(let experiment) = rule.rule?.outcome else { return nil }
            return "\(experiment.id)"
        }
        noteRepeated(experiments, "experiment", &reader) { "rules/\($0)/experiment/id" }
        return RuleSet(rules: rules.compactMap(\.rule), holdout: holdout, governor: governor)
    }

    /// Notes the condition whose random shares are too many for the whole set.
    private static func noteShares(of rules: [ReadRule], _ reader: inout BodyReader) {
        let limit = RuleSet.sharesLimit
        var shares = 0
        for (index, rule) in rules.enumerated() {
            let before = shares
            shares += rule.rule?.when.shares ?? 0
            guard before <= limit, shares > limit else { continue }
            reader.note(
                FieldProblem(
                    .pointer(reader.path("rules/\(index)/when")), .tooMany,
                    "With this condition the rule set has more than \(limit) random shares; name "
                        + "a share once, in fewer rules.",
                    limit: Int64(limit), measured: Int64(shares), unit: "shares"))
        }
    }

    private static func readVersion(_ reader: inout BodyReader) {
        let known = Int64(RuleSet.schemaVersion)
        if reader.take("schemaVersion") == .integer(1) {
            return reader.note(
                "schemaVersion", .outOfRange,
                "Version 1 is read no more; send 2, whose conditions are a tree.")
        }
        _ = reader.integer("schemaVersion", in: known...known)
    }

    /// Notes each name that came before.
    private static func noteRepeated(
        _ names: [String?], _ what: String, _ reader: inout BodyReader, at place: (Int) -> String
    ) {
        var seen: Set<String> = []
        for (index, name) in names.enumerated() {
            guard let name, !seen.insert(name).inserted else { continue }
            reader.note(
                place(index), .duplicate, "Another \(what) has this id; give each its own.")
        }
    }

    // MARK: - Holdout and governor

    private static func readHoldout(_ reader: inout BodyReader) -> Holdout {
        let confirmation = "confirmNoHoldout"
        let isConfirmed = reader.boolean(confirmation, otherwise: false)
        let percent = reader.integer("percent", in: 0...Int64(Holdout.percents.upperBound))
        let answer = reader.optionalChoice("answer", Holdout.Answer.self)
        if reader.take("percent") == .integer(0), !isConfirmed {
            reader.note(
                confirmation, .required,
                "Without a holdout nothing can be proved. Send 1 to 20 percent, or "
                    + "confirmNoHoldout true.")
        } else if percent > 0, isConfirmed {
            reader.note(
                confirmation, .notAllowed, "There is a holdout of \(percent) %; leave it out.")
        }
        return Holdout(
            percent: Int32(clamping: percent), answer: answer ?? Holdout.standard.answer)
    }

    private static func readGovernor(_ reader: inout BodyReader) -> Governor {
        Governor(
            offersPerSubscriber: reader.optionalInteger(
                "offersPerSubscriber", in: offersPerSubscriber
            ).map { Int32(clamping: $0) },
            coolDownDays: reader.optionalInteger("coolDownDays", in: coolDownDays)
                .map { Int32(clamping: $0) },
            monthlyDiscountBudget: reader.optionalObject("monthlyDiscountBudget") { reader in
                Governor.Budget(
                    amountMilliunits: reader.integer("amountMilliunits", in: 1...Int64.max),
                    currency: reader.capitals("currency", such: "EUR"))
            })
    }

    // MARK: - Rules

    private struct ReadRule {
        let id: RuleID?
        /// `nil` where something in it is wrong.
        var rule: Rule?
    }

    private static func readRule(_ reader: inout BodyReader) -> ReadRule {
        let id: RuleID? = reader.identifier("id")
        let name = reader.text("name", nameUnits)
        let schedule = reader.optionalObject("schedule", ScheduleBody.read) ?? .always
        let when = readCondition(&reader)
        let treatment = reader.optionalObject("treatment") { TreatmentBody.read(&$0) }
        let experiment = reader.optionalObject("experiment", ExperimentBody.read)
        let isDouble = reader.has("treatment") && reader.has("experiment")
        if isDouble || treatment == nil && experiment == nil {
            reader.note(
                "treatment", isDouble ? .notAllowed : .required,
                "A rule has a treatment or an experiment, and not both.")
        }
        let outcome =
            (treatment ?? nil).map(Rule.Outcome.treatment)
            ?? (experiment ?? nil).map(Rule.Outcome.experiment)
        guard let id, let when, let outcome else { return ReadRule(id: id) }
        return ReadRule(
            id: id,
            rule: Rule(id: id, name: name, schedule: schedule, when: when, outcome: outcome))
    }

    private static func readCondition(_ reader: inout BodyReader) -> Condition? {
        let when = reader.object("when") { ConditionBody.read(&$0) }
        guard case .some(.some(let when)) = when else { return nil }
        // Of the tree as far as it could be read: one that is too large is so all the more.
        for (measured, limit, what) in [
            (when.depth, Condition.depthLimit, "levels"),
            (when.nodes, Condition.nodesLimit, "nodes"),
        ] where measured > limit {
            reader.note(
                FieldProblem(
                    .pointer(reader.path("when")), .tooMany,
                    "The condition has \(measured) \(what), \(limit) are allowed.",
                    limit: Int64(limit), measured: Int64(measured), unit: what))
        }
        return when
    }

    // MARK: - The form

    /// What is read back can be sent again.
    static func form(_ ruleSet: RuleSet) -> JSONTree {
        var members: [String: JSONTree] = [
            "schemaVersion": .integer(Int64(ruleSet.schemaVersion)),
            "holdout": form(ruleSet.holdout), "rules": .array(ruleSet.rules.map(form)),
        ]
        if ruleSet.governor != .none { members["governor"] = form(ruleSet.governor) }
        return .object(members)
    }

    static func form(_ holdout: Holdout) -> JSONTree {
        var members: [String: JSONTree] = [
            "percent": .integer(Int64(holdout.percent)),
            "answer": .string(holdout.answer.rawValue),
        ]
        if holdout.percent == 0 { members["confirmNoHoldout"] = true }
        return .object(members)
    }

    static func form(_ governor: Governor) -> JSONTree {
        var members: [String: JSONTree] = [:]
        members["offersPerSubscriber"] = governor.offersPerSubscriber.map { .integer(Int64($0)) }
        members["coolDownDays"] = governor.coolDownDays.map { .integer(Int64($0)) }
        members["monthlyDiscountBudget"] = governor.monthlyDiscountBudget.map {
            [
                "amountMilliunits": .integer($0.amountMilliunits),
                "currency": .string($0.currency),
            ]
        }
        return .object(members)
    }

    static func form(_ rule: Rule) -> JSONTree {
        var members: [String: JSONTree] = [
            "id": .id(rule.id), "name": .string(rule.name),
            "when": ConditionBody.form(rule.when),
        ]
        if rule.schedule != .always { members["schedule"] = ScheduleBody.form(rule.schedule) }
        switch rule.outcome {
        case .treatment(let treatment): members["treatment"] = TreatmentBody.form(treatment)
        case .experiment(let experiment): members["experiment"] = ExperimentBody.form(experiment)
        }
        return .object(members)
    }
}

/// When a rule counts: instants, and a span of every day in the app's time zone.
enum ScheduleBody {
    static func read(_ reader: inout BodyReader) -> Schedule {
        let from = reader.optionalInstant("from")
        let to = reader.optionalInstant("to")
        if let from, let to, to <= from {
            reader.note("to", .outOfRange, "to is the first instant outside; it is after from.")
        }
        let daily = reader.optionalObject("daily") { reader in
            let daily = Schedule.Daily(
                fromMinute: readTime("from", &reader), toMinute: readTime("to", &reader))
            if reader.problems.isEmpty, daily.fromMinute == daily.toMinute {
                reader.note("to", .outOfRange, "The span is empty; leave daily out for all day.")
            }
            return daily
        }
        return Schedule(from: from, to: to, daily: daily)
    }

    /// Minutes since midnight. 24:00 is the end of the day.
    private static func readTime(_ name: String, _ reader: inout BodyReader) -> Int64 {
        let text = reader.text(name, 1...40)
        if text.isEmpty { return 0 }
        let digits = text.utf8.map { Int64($0) - 0x30 }
        if digits.count == 5, text.utf8.dropFirst(2).first == UInt8(ascii: ":"),
            [0, 1, 3, 4].allSatisfy({ (0...9).contains(digits[$0]) }), digits[3] < 6
        {
            let minute = (digits[0] * 10 + digits[1]) * 60 + digits[3] * 10 + digits[4]
            if Schedule.Daily.minutes.contains(minute) { return minute }
        }
        reader.note(name, .badFormat, "\(name) is a time of day from 00:00 to 24:00.")
        return 0
    }

    static func form(_ schedule: Schedule) -> JSONTree {
        var members: [String: JSONTree] = [:]
        members["from"] = schedule.from.map(JSONTree.instant)
        members["to"] = schedule.to.map(JSONTree.instant)
        members["daily"] = schedule.daily.map {
            ["from": .string(time($0.fromMinute)), "to": .string(time($0.toMinute))]
        }
        return .object(members)
    }

    private static func time(_ minute: Int64) -> String {
        [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

/// Hundredths of a percent, written as percent with at most two decimals.
enum PercentBody {
    static func form(_ basisPoints: Int32) -> JSONTree {
        basisPoints % 100 == 0
            ? .integer(Int64(basisPoints / 100)) : .number(Double(basisPoints) / 100)
    }

    /// `nil` for a third decimal, or for what is not from 0 to 100.
    fileprivate static func basisPoints(_ value: JSONTree) -> Int32? {
        switch value {
        case .integer(let number) where (0...100).contains(number): return Int32(number) * 100
        case .number(let number) where (0...100).contains(number):
            let rounded = (number * 100).rounded()
            // A decimal fraction reads as the nearest double, and so does this one.
            return rounded / 100 == number ? Int32(rounded) : nil
        default: return nil
        }
    }
}

extension BodyReader {
    /// One object that must be there, read by `body`.
    mutating func object<T>(_ name: String, _ body: (inout BodyReader) -> T) -> T? {
        if take(name) == nil { note(name, .required, "\(name) is required.") }
        return optionalObject(name, body)
    }

    /// Of 0 to 100 with two decimals, in hundredths of a percent.
    mutating func percent(_ name: String) -> Int32 {
        guard let value = take(name) else {
            note(name, .required, "\(name) is required.")
            return 0
        }
        if let basisPoints = PercentBody.basisPoints(value) { return basisPoints }
        switch value {
        case .integer, .number:
            note(name, .outOfRange, "\(name) is 0 to 100 with at most two decimals.")
        default: note(name, .wrongType, "\(name) is a number.")
        }
        return 0
    }

    /// A text whose length is counted in bytes of UTF-8: it is hashed, or named in tables.
    mutating func text(_ name: String, bytes: ClosedRange<Int>) -> String {
        let text = text(name, 1...bytes.upperBound)
        let count = text.utf8.count
        if count > bytes.upperBound, text.utf16.count <= bytes.upperBound {
            note(
                FieldProblem(
                    .pointer(path(name)), .tooLong,
                    "\(name) has \(count) bytes, at most \(bytes.upperBound) are allowed.",
                    limit: Int64(bytes.upperBound), measured: Int64(count), unit: "bytes"))
        }
        return text
    }
}
