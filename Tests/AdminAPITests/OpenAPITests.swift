import AdminAPI
import Foundation
import HTTPServer
import TestSupport
import Testing

/// The document says what the program does, and the program does what the document says.
@Suite struct OpenAPITests {
    @Test func everyRouteIsInTheDocumentAndTheReverse() throws {
        let documented = try OpenAPI().operations.filter { $0.scope != "none" }
        let described = documented.map { operation in
            [
                operation.id, operation.method, operation.path, operation.scope,
                operation.idempotency ?? "none", operation.queryParameters.sorted().joined(),
            ].joined(separator: " ")
        }
        let built = Operations.all.map { operation in
            [
                operation.id, operation.method.rawValue, operation.path, "\(operation.scope)",
                "\(operation.idempotency)", operation.query.sorted().joined(),
            ].joined(separator: " ")
        }
        #expect(Set(described).subtracting(built).sorted() == [])
        #expect(Set(built).subtracting(described).sorted() == [])
        #expect(Set(built).count == Operations.all.count)
        try Promise.kept(
            "api-document", "\(built.count) operations, \(try APIPage.names().count) pages")
    }

    @Test func bodiesHaveTheTypesOfTheDocument() throws {
        let documented = try OpenAPI().operations
        for operation in Operations.all {
            let types = documented.first { $0.id == operation.id }?.bodies.map(\.type) ?? []
            #expect(types == operation.body.mediaTypes.sorted(), "\(operation.id)")
        }
    }

    @Test func whatHasABodyOrAPathCanBeRefusedAsTheDocumentSays() throws {
        for operation in try OpenAPI().operations where operation.scope != "none" {
            let refusals = Set(operation.statuses)
            #expect(
                refusals.isSuperset(of: ["401", "403", "429", "500", "503"]), "\(operation.id)")
            if !operation.pathParameters.isEmpty {
                #expect(refusals.contains("404"), "\(operation.id)")
            }
            if operation.ifMatch != nil {
                #expect(refusals.isSuperset(of: ["412", "428"]), "\(operation.id)")
            }
        }
    }
}

@Suite(.database) struct OpenAPIDocumentTests {
    @Test func theDocumentIsServedAsItIsInTheRepository() throws {
        let stage = try GatewayStage()
        let answer = try stage.send("GET", "/openapi.json")
        #expect(answer.status == 200)
        #expect(answer.body == (try PackageRoot.bytes(of: "docs/api/openapi.json")))
        let tag = try #require(answer.header("ETag"))
        let again = try stage.send("GET", "/openapi.json", headers: [("If-None-Match", tag)])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
    }
}
