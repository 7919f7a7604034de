// holdfast tenant create, tenant list: the agencies of this platform.
internal import Retention
internal import RetentionStore
internal import Service

extension Command {
    static let createTenant = Command(
        name: "tenant create",
        meaning: "Add an agency; then make its first key with holdfast key create.",
        grammar: ArgumentGrammar(options: [
            .init("--name", value: "NAME", "what people call it, 1 to 200 characters", .required),
            CommandOutput.option,
        ]),
        table: OperatorStore.table
    ) { arguments, reader in
        let name = try arguments.name()
        let output = try CommandOutput(arguments)
        return try OperatorStore.run(&reader) { database in
            let tenant = try database.createTenant(name: name)
            try output.write(TenantForm.table([tenant]), json: TenantForm(tenant))
            return ExitCode.success
        }
    }

    static let listTenants = Command(
        name: "tenant list", meaning: "Show every agency, in the order they were made.",
        grammar: ArgumentGrammar(options: [CommandOutput.option]), table: OperatorStore.table
    ) { arguments, reader in
        let output = try CommandOutput(arguments)
        return try OperatorStore.run(&reader) { database in
            let tenants = try database.store.listTenants(.operatorCommand)
            try output.write(
                TenantForm.table(tenants), json: DataForm(data: tenants.map(TenantForm.init)))
            return ExitCode.success
        }
    }
}

private struct TenantForm: Encodable {
    let id: String
    let name: String
    let createdAt: String

    init(_ tenant: StoredTenant) {
        id = tenant.id.description
        name = tenant.name
        createdAt = tenant.createdAt.rfc3339
    }

    static func table(_ tenants: [StoredTenant]) -> TextTable {
        TextTable(
            head: ["TENANT", "NAME", "CREATED"],
            rows: tenants.map { [$0.id.description, $0.name, $0.createdAt.rfc3339] })
    }
}
