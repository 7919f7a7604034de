extension ObservedState {
    /// What becomes known when somebody asks for a fresh look: nothing is taken for granted, and
    /// what was refused may be tried once more.
    package func doubtEverything(at now: Instant) -> [Observation] {
        var observations: [Observation] = [.doubted(at: now)]
        for object in objects.values where object.refusal != nil {
            var object = object
            object.refusal = nil
            observations.append(.object(object))
        }
        for (slot, observed) in defaults {
            var observed = observed
            observed.readAt = nil
            observed.refusal = nil
            observed.refusedId = nil
            observations.append(.default(slot, observed))
        }
        if url != nil || urlRefusal != nil {
            observations.append(
                .url(url, isUncertain: isURLUncertain, readAt: nil, refusal: nil))
        }
        if let pause { observations.append(.pause(pause, until: now)) }
        for kind in fullAt.keys { observations.append(.full(kind, at: nil)) }
        if retryAt != nil { observations.append(.failures(failures, retryAt: nil)) }
        return observations
    }
}
