package import Testing

/// Gives each test, and each case of a parameterised one, a database of its own.
package struct DatabaseTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite as a whole is not a test.
        guard testCase != nil else { return try await function() }
        let database = try Database.make()
        do {
            try await Database.$ofTest.withValue(database) { try await function() }
        } catch {
            try? database.drop()
            throw error
        }
        try database.drop()
    }
}

extension Trait where Self == DatabaseTrait {
    /// A migrated database for this test; reach it by `Database.current()`.
    package static var database: DatabaseTrait { DatabaseTrait() }
}
