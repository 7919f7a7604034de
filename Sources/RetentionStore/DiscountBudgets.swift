// Table: discount_budget_spent. What an app's discounts cost in a month, by currency.
internal import FoundationEssentials
internal import Postgres
package import Retention

package struct SpentBudget: Equatable, Sendable {
    /// Its first day, in the app's time zone.
    package let month: CalendarDay
    /// ISO 4217, three capital letters.
    package let currency: String
    package let spentMilliunits: Int64

    package init(month: CalendarDay, currency: String, spentMilliunits: Int64) {
        self.month = month
        self.currency = currency
        self.spentMilliunits = spentMilliunits
    }
}

/// A budget and whose it is, over all tenants.
package struct AppSpentBudget: Equatable, Sendable {
    package let place: AppPlace
    package let spent: SpentBudget
}

extension TenantTransaction {
    /// Says what a month's discounts cost in all so far.
    package func setDiscountBudgetSpent(_ spent: SpentBudget, at key: AppEnvironment) throws {
        _ = try connection.query(
            """
            insert into holdfast.discount_budget_spent (tenant_id, app_id, environment, month,
              currency, spent_milliunits)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue),
              \(spent.month.description)::text::date, \(spent.currency),
              \(spent.spentMilliunits))
            on conflict (tenant_id, app_id, environment, month, currency)
              do update set spent_milliunits = excluded.spent_milliunits
            """)
    }

    /// Adds to what a month's discounts cost.
    ///
    /// - Throws: a `PostgresError` where the sum is more than 64 bits hold, or below 0.
    package func addDiscountBudgetSpent(_ added: SpentBudget, at key: AppEnvironment) throws {
        _ = try connection.query(
            """
            insert into holdfast.discount_budget_spent as b (tenant_id, app_id, environment, month,
              currency, spent_milliunits)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue),
              \(added.month.description)::text::date, \(added.currency),
              \(added.spentMilliunits))
            on conflict (tenant_id, app_id, environment, month, currency)
              do update set spent_milliunits = b.spent_milliunits + excluded.spent_milliunits
            """)
    }

    /// What a responder would know of the app's budget: of the month that `now` lies in, in the
    /// calendar and the currency that the snapshot says.
    package func budgetReading(of snapshot: Snapshot, at now: Instant) throws -> BudgetReading {
        guard let budget = snapshot.ruleSet.governor.monthlyDiscountBudget,
            let month = BudgetReading.month(at: now, in: snapshot.zone)
        else { return .unknown }
        let key = AppEnvironment(app: snapshot.app, environment: snapshot.environment)
        let spent = try listDiscountBudgetsSpent(in: month, at: key)
        return BudgetReading(
            spent: spent.map { ($0.currency, $0.spentMilliunits) }, budget: budget)
    }

    /// Of one month, by currency.
    package func listDiscountBudgetsSpent(
        in month: CalendarDay, at key: AppEnvironment
    ) throws -> [SpentBudget] {
        let rows = try connection.query(
            """
            select month::text, currency, spent_milliunits from holdfast.discount_budget_spent
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and month = \(month.description)::text::date
            order by currency
            """)
        return try rows.compactMap { try $0.spentBudget() }
    }
}

extension RetentionStore {
    /// What the discounts of `month` and the months after it cost so far, in every app. Time zones
    /// differ: ask from the month before, and take each app's own.
    package func discountBudgetsSpent(
        _ platform: PlatformScope, from month: CalendarDay
    ) throws -> [AppSpentBudget] {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select tenant_id, app_id, environment, month::text, currency, spent_milliunits
                from holdfast_hot.discount_budgets(\(month.description)::text::date)
                """)
            return try rows.compactMap { row in
                guard let spent = try row.spentBudget(),
                    let environment = StoreEnvironment(rawValue: try row.decode("environment"))
                else { return nil }
                let key = AppEnvironment(
                    app: AppID(try row.decode("app_id")), environment: environment)
                return AppSpentBudget(
                    place: AppPlace(tenant: TenantID(try row.decode("tenant_id")), key: key),
                    spent: spent)
            }
        }
    }
}

extension Row {
    /// `nil` for a month that no calendar day is.
    fileprivate func spentBudget() throws -> SpentBudget? {
        guard let month = CalendarDay(try decode(String.self, "month")) else { return nil }
        return SpentBudget(
            month: month, currency: try decode("currency"),
            spentMilliunits: try decode("spent_milliunits"))
    }
}
