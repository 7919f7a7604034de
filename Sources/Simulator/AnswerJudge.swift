package import FoundationEssentials

/// What came back on the wire for one real-time request.
package enum Delivery: Sendable {
    /// A complete HTTP response of any status.
    case complete(HTTPAnswer)
    /// No complete response, with a sentence about it.
    case failed(FallbackReason, String)
}

package struct HTTPAnswer: Sendable {
    package var status: Int
    package var contentType: String?
    package var location: String?
    package var body: [UInt8]

    package init(
        status: Int, contentType: String? = "application/json", location: String? = nil,
        body: [UInt8] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.body = body
    }
}

/// What Apple makes of an answer.
package struct Verdict: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        case shown(Display)
        case fallback(FallbackReason, explanation: String)
    }

    package var outcome: Outcome
    /// Rules that a complete, timely 200 answer broke; not empty means the answer was wrong. A
    /// deliberate other status and a late answer are fallbacks, never wrong.
    package var broken: [RuleBreach]

    static func fallback(_ reason: FallbackReason, _ explanation: String) -> Verdict {
        Verdict(outcome: .fallback(reason, explanation: explanation), broken: [])
    }

    static func wrong(_ reason: FallbackReason, _ broken: [RuleBreach]) -> Verdict {
        Verdict(
            outcome: .fallback(reason, explanation: broken.first?.message ?? ""), broken: broken)
    }
}

/// Applies Apple's rules to one answer. It does no input or output; nonces are remembered by
/// whoever calls it.
package struct AnswerJudge {
    /// Apple waits this long, from sending to the complete answer.
    package static let deadline: Duration = .milliseconds(700)
    /// Apple names no limit; the longest right answer is under 2 KB.
    package static let answerBytesLimit = 65_536

    package var catalog: AppCatalog
    package var request: RealtimeRequest
    /// Where the request went, to know a redirect that leads back to itself.
    package var url: String
    package var nowMilliseconds: Int64
    /// How long an answer may take; Apple's own unless a test needs time.
    package var deadline: Duration
    /// Remembers the nonce of an offer and says whether it was new.
    package var isNewNonce: (UUID) -> Bool

    package init(
        catalog: AppCatalog, request: RealtimeRequest, url: String, nowMilliseconds: Int64,
        deadline: Duration = AnswerJudge.deadline, isNewNonce: @escaping (UUID) -> Bool
    ) {
        self.deadline = deadline
        self.catalog = catalog
        self.request = request
        self.url = url
        self.nowMilliseconds = nowMilliseconds
        self.isNewNonce = isNewNonce
    }

    package func judge(_ delivery: Delivery, elapsed: Duration) -> Verdict {
        guard elapsed <= deadline else {
            let milliseconds = Int(deadline / .milliseconds(1))
            return .fallback(
                .timedOut, "There was no complete answer within \(milliseconds) ms.")
        }
        switch delivery {
        case .failed(let reason, let explanation): return .fallback(reason, explanation)
        case .complete(let answer): return judge(answer)
        }
    }

    private func judge(_ answer: HTTPAnswer) -> Verdict {
        guard answer.status == 200 else { return unsuccessful(answer) }
        do {
            try checkEnvelope(answer)
            return judge(try Answer(answer.body))
        } catch {
            let reason: FallbackReason =
                error.rule == .charset ? .unsupportedCharset : .invalidResponse
            return .wrong(reason, [error])
        }
    }

    private func unsuccessful(_ answer: HTTPAnswer) -> Verdict {
        if (300..<400).contains(answer.status), let location = answer.location,
            sameBytes(location, url)
        {
            return .fallback(.circularRedirect, "The answer redirects to the URL it came from.")
        }
        return .fallback(
            .unsuccessfulHTTPResponseCode, "The answer has status \(answer.status); 200 is needed.")
    }

    private func checkEnvelope(_ answer: HTTPAnswer) throws(RuleBreach) {
        guard answer.body.count <= AnswerJudge.answerBytesLimit else {
            throw RuleBreach(.answerTooLarge, "The answer is over 64 KB.")
        }
        let parts = (answer.contentType ?? "").lowercased()
            .split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.trimming(while: \.isWhitespace) }
        guard parts.first == "application/json" else {
            throw RuleBreach(.contentType, "Content-Type is application/json.")
        }
        for parameter in parts.dropFirst() where parameter.hasPrefix("charset=") {
            let charset = parameter.dropFirst("charset=".count).trimming { $0 == "\"" }
            guard charset == "utf-8" else {
                throw RuleBreach(.charset, "The answer is to be in UTF-8.")
            }
        }
    }

    private func judge(_ answer: Answer) -> Verdict {
        switch answer {
        case .message(let identifier):
            return judgeMessage(identifier)
        case .alternateProduct(let identifier, let productId, let billingPlanType):
            return judgeSwitch(identifier, productId, billingPlanType)
        case .promotionalOffer(let identifier, let proof):
            return judgeOffer(identifier, proof)
        case .advancedCommerceInfo:
            let breach = RuleBreach(
                .advancedCommerceNotAvailable,
                "The app sells no Advanced Commerce subscriptions, so Apple ignores the answer.")
            return .wrong(.invalidResponse, [breach])
        }
    }
}

extension AnswerJudge {
    private func judgeMessage(_ identifier: UUID) -> Verdict {
        let (message, breaches) = find(identifier, textOnly: false)
        return verdict(message, breaches) { Display(.realtime, .message, $0) }
    }

    private func judgeSwitch(
        _ identifier: UUID, _ productId: String, _ billingPlanType: String?
    ) -> Verdict {
        let (message, breaches) = find(identifier, textOnly: true)
        let productBreaches = switchBreaches(to: productId, billingPlanType)
        return verdict(message, breaches + productBreaches) { message in
            var display = Display(.realtime, .switchPlan, message)
            display.productId = productId
            display.billingPlanType = billingPlanType
            return display
        }
    }

    private func judgeOffer(_ identifier: UUID, _ proof: Answer.OfferProof) -> Verdict {
        let (message, breaches) = find(identifier, textOnly: true)
        let (offer, signatureBreaches) = judge(proof)
        return verdict(message, breaches + signatureBreaches) { message in
            var display = Display(.realtime, .promotionalOffer, message)
            display.productId = offer?.productId
            display.offerIdentifier = offer?.offerIdentifier
            return display
        }
    }

    private func judge(_ proof: Answer.OfferProof) -> (Offer?, [RuleBreach]) {
        switch proof {
        case .version2(let compact):
            let signature = OfferSignature(
                catalog: catalog, request: request, nowSeconds: nowMilliseconds / 1000,
                isNewNonce: isNewNonce)
            return signature.judge(compact)
        case .version1(let signature):
            let breaches = signature.breaches(
                catalog, request, nowMilliseconds: nowMilliseconds, isNewNonce: isNewNonce)
            return (signature.offer, breaches)
        }
    }

    private func verdict(
        _ message: AppState.Message?, _ breaches: [RuleBreach],
        _ display: (AppState.Message) -> Display
    ) -> Verdict {
        guard breaches.isEmpty, let message else { return .wrong(.invalidResponse, breaches) }
        return Verdict(outcome: .shown(display(message)), broken: [])
    }

    /// The message of an answer. Text-only kinds (switch plan, offer) may have neither an image
    /// nor bullets: "the retention message fails".
    private func find(
        _ identifier: UUID, textOnly: Bool
    ) -> (AppState.Message?, [RuleBreach]) {
        guard let message = catalog.message(identifier) else {
            let breach = RuleBreach(
                .messageUnknown,
                "This app has no message \(identifier.lowerCase) in "
                    + "\(request.environment.rawValue).")
            return (nil, [breach])
        }
        var breaches: [RuleBreach] = []
        if message.messageState != .approved {
            breaches.append(
                .init(
                    .messageNotApproved,
                    "The message is \(message.messageState.rawValue); APPROVED is needed."))
        }
        if textOnly, message.image != nil {
            breaches.append(.init(.messageHasImage, "This kind of message is text only."))
        }
        if textOnly, message.bulletPoints?.isEmpty == false {
            breaches.append(.init(.messageHasBullets, "This kind of message has no bullet points."))
        }
        let unapproved = catalog.unapprovedImages(of: message)
        if !unapproved.isEmpty {
            breaches.append(
                .init(
                    .imageNotApproved, "\(unapproved.count) images of the message lack approval."))
        }
        return (message, breaches)
    }

    private func switchBreaches(to productId: String, _ billingPlanType: String?) -> [RuleBreach] {
        guard let product = catalog.product(productId) else {
            return [.init(.productUnknown, "The app has no product that the switch names.")]
        }
        var breaches: [RuleBreach] = []
        if sameBytes(productId, request.productId) {
            breaches.append(.init(.productIsCurrent, "Name another product than the current one."))
        } else if !catalog.isSameGroup(productId, request.productId) {
            breaches.append(
                .init(
                    .productOfAnotherGroup,
                    "The product is of another subscription group than the customer's."))
        }
        if let plan = billingPlanType,
            !(product.billingPlans ?? []).contains(where: { sameBytes($0, plan) })
        {
            breaches.append(.init(.billingPlanUnknown, "The product has no such billing plan."))
        }
        return breaches
    }
}

extension StringProtocol {
    /// The text without the characters at both ends for which `isBlank` holds.
    fileprivate func trimming(while isBlank: (Character) -> Bool) -> SubSequence {
        guard let first = firstIndex(where: { !isBlank($0) }),
            let last = lastIndex(where: { !isBlank($0) })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
