// /v1/apps/{appId}/coverage: what subscribers can be shown, product by locale.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Coverage {
    static let operations: [Operation] = [
        .get(
            "getCoverage", "/v1/apps/{appId}/coverage", .content,
            query: ["environment", "locale"], get)
    ]

    /// A hundred products in fifty locales.
    private static let cellsLimit = 5_000
    private static let localeUnits = 35

    // MARK: - Shapes

    private static func form(
        _ key: AppEnvironment, _ facts: CoverageFacts, _ locales: [String]
    ) -> JSONTree {
        let report = CoverageReport(
            facts.sync, products: facts.products, locales: locales, rules: facts.rules)
        let layer = JSONTree.string(facts.appStoreConnectLayer.rawValue)
        // Product by product, as the cells come.
        let rows = facts.products.enumerated().map { index, product in
            let cells = report.cells[index * locales.count..<(index + 1) * locales.count]
            return [
                "productId": .string(product.productId),
                "subscriptionGroup": .string(product.subscriptionGroup),
                "cells": .array(cells.map { form($0, layer) }),
            ] as JSONTree
        }
        return [
            "appId": .id(key.app), "environment": .string(key.environment.rawValue),
            "locales": .texts(locales), "products": .array(rows),
            "holes": .array(report.holes.map(hole)),
            "holesMean": .string(CoverageReport.defaultRule),
            "groupsWithoutSwitch": .array(
                report.groupsWithoutSwitch.map {
                    [
                        "subscriptionGroup": .string($0.name),
                        "productIds": .texts($0.productIds),
                    ]
                }),
            "messagesToReview": .array(facts.dated.map(form)),
        ]
    }

    private static func form(_ cell: CoverageCell, _ layer: JSONTree) -> JSONTree {
        [
            "locale": .string(cell.locale), "default": .string(cell.defaultStatus.rawValue),
            "isDefaultNewest": .optional(cell.isDefaultNewest, JSONTree.boolean),
            "realTime": .string(cell.realTimeStatus.rawValue), "appStoreConnect": layer,
        ]
    }

    private static func hole(_ cell: CoverageCell) -> JSONTree {
        [
            "productId": .string(cell.productId), "locale": .string(cell.locale),
            "default": .string(cell.defaultStatus.rawValue),
        ]
    }

    private static func form(_ message: StoredMessage) -> JSONTree {
        [
            "messageId": .id(message.id), "name": .string(message.name),
            "showUntil": .text(message.dates.showUntil?.description),
            "reviewBy": .text(message.dates.reviewBy?.description),
            "isStale": .boolean(message.isStale), "needsReview": .boolean(message.needsReview),
        ]
    }

    // MARK: - Handlers

    private static func get(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let locale = try call.query.text("locale", limit: localeUnits)
        if let locale, let problem = LocaleCheck.problem(with: locale, at: .parameter("locale")) {
            throw Problem(.invalidParameter, problem.detail, errors: [problem])
        }
        let facts = try call.transaction.coverageFacts(at: key)
        let locales = locale.map { [$0] } ?? facts.locales
        let count = facts.products.count * locales.count
        guard count <= cellsLimit else {
            let detail =
                "\(facts.products.count) products in \(locales.count) locales are too many for one "
                + "answer; ask for one locale."
            throw Problem(
                .invalidParameter, detail,
                errors: [
                    FieldProblem(
                        .parameter("locale"), .tooMany, detail, limit: Int64(cellsLimit),
                        measured: Int64(count))
                ])
        }
        return .resource(form(key, facts, locales))
    }
}
