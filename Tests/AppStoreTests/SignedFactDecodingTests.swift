import AppStore
import Foundation
import Retention
import Testing

@Suite struct SignedFactDecodingTests {
    private static var transaction: [String: Any] {
        [
            "originalTransactionId": "2000000000000001", "transactionId": "2000000000000002",
            "bundleId": "com.example.app", "productId": "monthly", "environment": "Production",
            "purchaseDate": 1_700_000_000_000, "signedDate": 1_700_000_000_500,
            "webOrderLineItemId": "5000000001", "appTransactionId": "704000000000001",
            "subscriptionGroupIdentifier": "21000001", "type": "Auto-Renewable Subscription",
            "originalPurchaseDate": 1_690_000_000_000, "expiresDate": 1_702_600_000_000,
            "quantity": 1, "appAccountToken": "7E3FB204-2F04-4B6C-9A4B-6C1E1B4F4D10",
            "inAppOwnershipType": "PURCHASED", "revocationDate": 1_700_000_000_400,
            "revocationReason": 1, "revocationType": "REFUND_PRORATED",
            "revocationPercentage": 67_932, "isUpgraded": true, "offerType": 5,
            "offerIdentifier": "keep", "offerDiscountType": "FREE_TRIAL", "offerPeriod": "P3M",
            "storefront": "USA", "storefrontId": "143441", "transactionReason": "RENEWAL",
            "currency": "USD", "price": 9_990, "billingPlanType": "MONTHLY",
            "commitmentInfo": [
                "billingPeriodNumber": 3, "totalBillingPeriods": 12,
                "commitmentExpiresDate": 1_730_000_000_000, "commitmentPrice": 119_880,
            ],
            "previousOriginalTransactionId": "1000000000000001",
        ]
    }

    private static var renewal: [String: Any] {
        [
            "originalTransactionId": "2000000000000001", "signedDate": 1_700_000_000_500,
            "environment": "Production", "productId": "monthly", "autoRenewProductId": "yearly",
            "autoRenewStatus": 1, "isInBillingRetryPeriod": true,
            "gracePeriodExpiresDate": 1_700_100_000_000, "expirationIntent": 2,
            "priceIncreaseStatus": 0, "offerType": 2, "offerIdentifier": "stay",
            "offerDiscountType": "PAY_AS_YOU_GO", "offerPeriod": "P1M",
            "recentSubscriptionStartDate": 1_690_000_000_000, "renewalDate": 1_702_600_000_000,
            "currency": "USD", "renewalPrice": 9_990, "renewalBillingPlanType": "BILLED_UPFRONT",
            "eligibleWinBackOfferIds": ["back", "again"],
            "appAccountToken": "7E3FB204-2F04-4B6C-9A4B-6C1E1B4F4D10",
            "appTransactionId": "704000000000001",
            "commitmentInfo": [
                "commitmentAutoRenewProductId": "monthly", "commitmentAutoRenewStatus": 0,
                "commitmentRenewalBillingPlanType": "MONTHLY",
                "commitmentRenewalDate": 1_730_000_000_000, "commitmentRenewalPrice": 119_880,
            ],
        ]
    }

    private static var notification: [String: Any] {
        [
            "notificationType": "DID_RENEW", "subtype": "BILLING_RECOVERY",
            "notificationUUID": "002E14D5-51F5-4503-B5A8-C3A1AF68EB20", "version": "2.0",
            "signedDate": 1_700_000_000_600,
            "data": [
                "environment": "Production", "bundleId": "com.example.app", "appAppleId": 41_234,
                "bundleVersion": "1.2", "signedTransactionInfo": "a.b.c",
                "signedRenewalInfo": "d.e.f", "status": 1, "consumptionRequestReason": "OTHER",
            ],
        ]
    }

    private func bytes(_ object: [String: Any]) throws -> [UInt8] {
        [UInt8](try JSONSerialization.data(withJSONObject: object))
    }

    private func changed(_ object: [String: Any], _ member: String, _ value: Any) -> [String: Any] {
        object.merging([member: value]) { $1 }
    }

    @Test func `every member of a transaction is read`() throws {
        let fact = try SignedTransaction.decode(try bytes(Self.transaction)).content
        #expect(fact.originalTransactionId == "2000000000000001")
        #expect(fact.transactionId == "2000000000000002")
        #expect(fact.bundleId == "com.example.app" && fact.environment == "Production")
        #expect(fact.webOrderLineItemId == "5000000001")
        #expect(fact.appTransactionId == "704000000000001")
        #expect(fact.subscriptionGroupIdentifier == "21000001" && fact.type == .autoRenewable)
        #expect(fact.originalPurchaseDate?.milliseconds == 1_690_000_000_000)
        #expect(fact.expiresDate?.milliseconds == 1_702_600_000_000 && fact.quantity == 1)
        #expect(fact.appAccountToken == UUID(uuidString: "7e3fb204-2f04-4b6c-9a4b-6c1e1b4f4d10"))
        #expect(fact.ownership == .purchased && fact.isUpgraded == true)
        #expect(fact.revocationDate?.milliseconds == 1_700_000_000_400)
        #expect(fact.revocationReason?.rawValue == 1 && fact.revocationType == .proratedRefund)
        #expect(fact.revocationPercentage == 67_932)
        #expect(
            fact.offer
                == OfferMark(
                    type: .retention, identifier: "keep", discountType: .freeTrial, period: "P3M"))
        #expect(fact.storefront == "USA" && fact.storefrontId == "143441")
        #expect(fact.reason == .renewal && fact.currency == "USD" && fact.priceMilliunits == 9_990)
        #expect(fact.billingPlan == .monthly)
        #expect(fact.commitment?.billingPeriodNumber == 3)
        #expect(fact.commitment?.totalBillingPeriods == 12)
        #expect(fact.commitment?.expiresDate?.milliseconds == 1_730_000_000_000)
        #expect(fact.commitment?.priceMilliunits == 119_880)
        #expect(fact.previousOriginalTransactionId == "1000000000000001")
    }

    @Test func `every member of a renewal info is read`() throws {
        let fact = try SignedRenewalInfo.decode(try bytes(Self.renewal)).content
        #expect(fact.productId == "monthly" && fact.autoRenewProductId == "yearly")
        #expect(fact.autoRenewStatus == .on && fact.isInBillingRetryPeriod == true)
        #expect(fact.gracePeriodExpiresDate?.milliseconds == 1_700_100_000_000)
        #expect(fact.expirationIntent == .billingError && fact.priceIncreaseStatus == .pending)
        #expect(
            fact.offer
                == OfferMark(
                    type: .promotional, identifier: "stay", discountType: .payAsYouGo,
                    period: "P1M"))
        #expect(fact.recentSubscriptionStartDate?.milliseconds == 1_690_000_000_000)
        #expect(fact.renewalDate?.milliseconds == 1_702_600_000_000)
        #expect(fact.currency == "USD" && fact.renewalPriceMilliunits == 9_990)
        #expect(fact.billingPlan == .billedUpfront)
        #expect(fact.eligibleWinBackOfferIds == ["back", "again"])
        #expect(fact.appAccountToken != nil && fact.appTransactionId == "704000000000001")
        #expect(fact.commitment?.autoRenewProductId == "monthly")
        #expect(fact.commitment?.autoRenewStatus == .off)
        #expect(fact.commitment?.billingPlan == .monthly)
        #expect(fact.commitment?.renewalDate?.milliseconds == 1_730_000_000_000)
        #expect(fact.commitment?.renewalPriceMilliunits == 119_880)
    }

    @Test func `every member of a notification is read`() throws {
        let payload = try NotificationPayload(try bytes(Self.notification))
        #expect(payload.uuid == UUID(uuidString: "002E14D5-51F5-4503-B5A8-C3A1AF68EB20"))
        #expect(payload.type.rawValue == "DID_RENEW" && payload.type.isKnown)
        #expect(payload.subtype?.rawValue == "BILLING_RECOVERY" && payload.version == "2.0")
        guard case .data(let content) = payload.body else {
            Issue.record("it has data")
            return
        }
        #expect(content.environment == "Production" && content.bundleId == "com.example.app")
        #expect(content.appAppleId == 41_234 && content.bundleVersion == "1.2")
        #expect(content.signedTransactionInfo == Array("a.b.c".utf8))
        #expect(content.signedRenewalInfo == Array("d.e.f".utf8))
        #expect(content.status == .active && content.consumptionRequestReason?.rawValue == "OTHER")
        let transaction = try SignedTransaction.decode(try bytes(Self.transaction))
        let renewal = try SignedRenewalInfo.decode(try bytes(Self.renewal))
        let fact = payload.fact(transaction: transaction, renewal: renewal)
        #expect(fact.originalTransactionId == "2000000000000001")
        #expect(fact.key.signedDate.milliseconds == 1_700_000_000_600)
        #expect(fact.transactionKey?.uuid == payload.uuid && fact.renewal != nil)
        let foreign = try SignedRenewalInfo.decode(
            try bytes(changed(Self.renewal, "originalTransactionId", "3")))
        #expect(payload.fact(transaction: transaction, renewal: foreign).renewal == nil)
    }

    /// NOT-03: shapes that assume nothing of what is inside.
    @Test func `a notification without a transaction is one all the same`() throws {
        let bodies: [(String, [String: Any]?)] = [
            ("TEST", ["data": ["environment": "Sandbox", "bundleId": "b"]]),
            (
                "FUTURE_THING",
                [
                    "data": [
                        "environment": "Sandbox", "bundleId": "b", "signedRenewalInfo": NSNull(),
                    ]
                ]
            ),
            ("RENEWAL_EXTENSION", ["summary": ["productId": "monthly", "bundleId": "b"]]),
            ("EXTERNAL_PURCHASE_TOKEN", ["externalPurchaseToken": ["appAppleId": 1]]),
            ("RESCIND_CONSENT", ["appData": ["environment": "Sandbox"]]),
            ("FUTURE_THING", ["futureBody": [String: Any]()]), ("FUTURE_THING", nil),
        ]
        for (type, body) in bodies {
            var object = Self.notification
            object["data"] = nil
            object["notificationType"] = type
            object.merge(body ?? [:]) { $1 }
            let payload = try NotificationPayload(try bytes(object))
            let fact = payload.fact(transaction: nil, renewal: nil)
            #expect(fact.originalTransactionId == nil, "\(type)")
            #expect(SubscriptionState.fold([fact]) == SubscriptionState(), "\(type)")
        }
    }

    /// JWS-06.
    @Test func `a value that Apple adds is kept as it came`() throws {
        var object = Self.transaction
        object.merge([
            "offerType": 99, "offerDiscountType": "ONE_TIME", "billingPlanType": "NEW",
            "type": "New", "inAppOwnershipType": "NEW", "transactionReason": "NEW",
            "revocationReason": 77, "revocationType": "NEW", "futureMember": ["a": [1, 2]],
        ]) { $1 }
        let fact = try SignedTransaction.decode(try bytes(object)).content
        #expect(fact.offer?.type?.rawValue == 99)
        #expect(fact.offer?.discountType?.rawValue == "ONE_TIME")
        #expect(fact.billingPlan?.rawValue == "NEW" && fact.type?.rawValue == "New")
        #expect(fact.ownership?.rawValue == "NEW" && fact.reason?.rawValue == "NEW")
        #expect(fact.revocationReason?.rawValue == 77 && fact.revocationType?.rawValue == "NEW")
    }

    private enum Read: CaseIterable {
        case transaction, renewal, notification

        var object: [String: Any] {
            switch self {
            case .transaction: SignedFactDecodingTests.transaction
            case .renewal: SignedFactDecodingTests.renewal
            case .notification: SignedFactDecodingTests.notification
            }
        }

        var required: Set<String> {
            switch self {
            case .transaction:
                [
                    "originalTransactionId", "transactionId", "productId", "purchaseDate",
                    "signedDate", "environment", "bundleId",
                ]
            case .renewal: ["originalTransactionId", "signedDate", "environment"]
            case .notification: ["notificationUUID", "notificationType", "signedDate"]
            }
        }

        func error(_ payload: [UInt8]) -> PayloadError? {
            do throws(PayloadError) {
                switch self {
                case .transaction: _ = try SignedTransaction.decode(payload)
                case .renewal: _ = try SignedRenewalInfo.decode(payload)
                case .notification: _ = try NotificationPayload(payload)
                }
                return nil
            } catch { return error }
        }
    }

    @Test(arguments: Read.allCases)
    private func `what is required is asked for by name, the rest may be missing or null`(
        read: Read
    ) throws {
        for member in read.object.keys {
            var object = read.object
            object[member] = nil
            let missing = read.error(try bytes(object))
            #expect(read.error(try bytes(changed(read.object, member, NSNull()))) == missing)
            let expected = read.required.contains(member) ? PayloadError.Code.memberMissing : nil
            #expect(missing?.code == expected, "\(member)")
            #expect(missing == nil || missing?.member == member)
        }
    }

    @Test(arguments: Read.allCases)
    private func `another JSON type is an error of that member`(read: Read) throws {
        for (member, value) in read.object {
            let others: [Any] = [[String: Any](), [1], "text", 1.5, 7, true]
            for other in others where type(of: other) != type(of: value) {
                let error = read.error(try bytes(changed(read.object, member, other)))
                if let error {
                    #expect(error.member?.hasPrefix(member) == true)
                    #expect(error.description.contains(member))
                } else {
                    // An object of optional members may be empty, a list of texts cannot hold 1.
                    #expect(member == "commitmentInfo", "\(member): \(other)")
                }
            }
        }
    }

    @Test func `identifiers, dates and texts have bounds`() throws {
        let bad: [(String, Any)] = [
            ("transactionId", ""), ("transactionId", "1 2"), ("transactionId", "é"),
            ("transactionId", String(repeating: "1", count: 256)), ("purchaseDate", -1),
            ("purchaseDate", 253_402_300_800_000), ("productId", "a\u{0}"),
            ("storefront", String(repeating: "a", count: 256)),
        ]
        for (member, value) in bad {
            let error = Read.transaction.error(try bytes(changed(Self.transaction, member, value)))
            #expect(error?.code == .badForm && error?.member == member, "\(member): \(value)")
        }
        let uuid = Read.notification.error(
            try bytes(changed(Self.notification, "notificationUUID", "7")))
        #expect(uuid?.code == .badForm)
        // An app may have set any account token.
        let token = try SignedTransaction.decode(
            try bytes(changed(Self.transaction, "appAccountToken", "me")))
        #expect(token.content.appAccountToken == nil)
        let many = try SignedRenewalInfo.decode(
            try bytes(
                changed(Self.renewal, "eligibleWinBackOfferIds", (0..<99).map { "offer\($0)" })))
        #expect(many.content.eligibleWinBackOfferIds.count == SignedRenewalInfo.winBackOffersLimit)
    }

    @Test func `what is no strict JSON object, or too long, is refused by name`() throws {
        let long = changed(Self.transaction, "future", String(repeating: "a", count: 65_536))
        #expect(Read.transaction.error(try bytes(long))?.code == .tooLong)
        let inputs = [
            "", "{", "[]", "null", "7", "{\"signedDate\":1,\"signedDate\":2}",
            "{\"a\":\"\\ud800\"}",
        ]
        for read in Read.allCases {
            for text in inputs {
                #expect(read.error(Array(text.utf8))?.code == .notStrictJSON, "\(text)")
            }
        }
        #expect(Read.transaction.error([0xFF, 0xFE])?.code == .notStrictJSON)
    }

    /// No transaction passes as a notification, nor the other way round.
    @Test func `one kind of signed data is not read as another`() throws {
        #expect(Read.notification.error(try bytes(Self.transaction))?.code == .memberMissing)
        #expect(Read.transaction.error(try bytes(Self.notification))?.code == .memberMissing)
        #expect(Read.transaction.error(try bytes(Self.renewal))?.code == .memberMissing)
        #expect(Read.renewal.error(try bytes(Self.notification))?.code == .memberMissing)
    }

    @Test func `a price beyond 64 bits, or with a fraction, is no price`() throws {
        for number in ["9223372036854775808", "1.0", "1e3"] {
            let text = """
                {"originalTransactionId":"1","transactionId":"1","bundleId":"b","productId":"p",\
                "environment":"Production","purchaseDate":1,"signedDate":2,"price":\(number)}
                """
            #expect(Read.transaction.error(Array(text.utf8))?.code == .wrongType, "\(number)")
        }
    }
}
