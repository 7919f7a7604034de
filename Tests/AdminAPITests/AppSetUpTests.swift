import AdminAPI
import Postgres
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// What the agency says of an app's way to Apple.
@Suite(.database) struct AppSetUpTests {
    @Test func `a transaction for the test and the layer of App Store Connect are said and unsaid`()
        throws
    {
        let agency = try GatewayStage().makeAgency()
        let path = try agency.makeApp()
        let bare = try agency.get(path).json
        #expect(bare["performanceTestTransactionId"] == .null)
        #expect(bare["appStoreConnectLayer"] == "none")
        #expect(bare["accessRequestedAt"] == .null)
        let said = try agency.patch(
            path,
            [
                "performanceTestTransactionId": "2000000123456789",
                "appStoreConnectLayer": "declared",
            ])
        #expect(said.json["performanceTestTransactionId"] == "2000000123456789", "\(said.text)")
        #expect(said.json["appStoreConnectLayer"] == "declared")
        #expect(try agency.get(path).json == said.json)
        let unsaid = try agency.patch(
            path, ["performanceTestTransactionId": .null, "appStoreConnectLayer": .null])
        #expect(unsaid.json == bare)
        let body = TestAgency.appBody(client: try agency.makeClient(), number: 2)
        let made = try agency.post(
            "/v1/apps",
            body.with("performanceTestTransactionId", "7").with(
                "appStoreConnectLayer", "declared"))
        #expect(made.json["performanceTestTransactionId"] == "7", "\(made.text)")
        #expect(made.json["appStoreConnectLayer"] == "declared")
    }

    @Test func `what is wrong with it is named`() throws {
        let agency = try GatewayStage().makeAgency()
        let path = try agency.makeApp()
        let wrong: [(JSONTree, String)] = [
            (["performanceTestTransactionId": "12a"], "/performanceTestTransactionId badFormat"),
            (["performanceTestTransactionId": ""], "/performanceTestTransactionId tooShort"),
            (["performanceTestTransactionId": 12], "/performanceTestTransactionId wrongType"),
            (["appStoreConnectLayer": "imported"], "/appStoreConnectLayer notAllowed"),
            (["appStoreConnectLayer": "some"], "/appStoreConnectLayer unknownValue"),
            (["accessRequestedAt": "yesterday"], "/accessRequestedAt badFormat"),
            (["accessRequestedAt": "9000-01-01T00:00:00Z"], "/accessRequestedAt outOfRange"),
        ]
        for (body, error) in wrong {
            #expect(try agency.patch(path, body).errors == [error])
        }
        #expect(
            try agency.patch(
                path,
                .object([
                    "performanceTestTransactionId": .string(String(repeating: "1", count: 65))
                ])
            ).errors == ["/performanceTestTransactionId tooLong"])
    }

    @Test func `what was imported is kept by a patch of something else`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let path = try agency.makeApp()
        try stage.database.superuser.withConnection {
            try $0.execute(
                script: "update holdfast.app set app_store_connect_layer = 'imported'")
        }
        let renamed = try agency.patch(path, ["name": "Other"])
        #expect(renamed.json["appStoreConnectLayer"] == "imported", "\(renamed.text)")
        let again = try agency.patch(path, ["appStoreConnectLayer": "imported"])
        #expect(again.status == 200)
        let unsaid = try agency.patch(path, ["appStoreConnectLayer": "none"])
        #expect(unsaid.json["appStoreConnectLayer"] == "none")
    }

    @Test func `that access was asked for is noted in both environments, and withdrawn`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let path = try agency.makeApp()
        func noted() throws -> Int64 {
            try stage.database.superuser.withConnection { connection in
                try #require(
                    try connection.query(
                        """
                        select count(access_requested_at) as count from holdfast.sync_state
                        """
                    ).first
                ).decode("count")
            }
        }
        let time = "2026-10-01T08:30:00.000Z"
        let asked = try agency.patch(path, ["accessRequestedAt": .string(time)])
        #expect(asked.json["accessRequestedAt"] == .string(time), "\(asked.text)")
        #expect(try noted() == 2)
        #expect(
            try agency.patch(path, ["name": "Other"]).json["accessRequestedAt"] == .string(time))
        #expect(
            try agency.patch(path, ["accessRequestedAt": .null]).json["accessRequestedAt"]
                == .null)
        #expect(try noted() == 0)
        let updates = try agency.audit().filter { $0.hasPrefix("app.update") }
        #expect(updates.count == 3)
        let body = TestAgency.appBody(client: try agency.makeClient(), number: 2)
        let made = try agency.post("/v1/apps", body.with("accessRequestedAt", .string(time)))
        #expect(made.json["accessRequestedAt"] == .string(time), "\(made.text)")
    }
}
