/// A PostgreSQL type by its object id. The built-in ids never change.
package struct SQLType: Sendable, Hashable, CustomStringConvertible {
    package let oid: UInt32

    package init(oid: UInt32) {
        self.oid = oid
    }

    /// From here on ids belong to types made by users: enums, composites, citext.
    var isUserDefined: Bool { oid >= 16_384 }

    package static let bool = SQLType(oid: 16)
    package static let bytea = SQLType(oid: 17)
    package static let char = SQLType(oid: 18)
    package static let name = SQLType(oid: 19)
    package static let int8 = SQLType(oid: 20)
    package static let int2 = SQLType(oid: 21)
    package static let int4 = SQLType(oid: 23)
    package static let text = SQLType(oid: 25)
    package static let json = SQLType(oid: 114)
    package static let float4 = SQLType(oid: 700)
    package static let float8 = SQLType(oid: 701)
    package static let unknown = SQLType(oid: 705)
    package static let bpchar = SQLType(oid: 1042)
    package static let varchar = SQLType(oid: 1043)
    package static let timestamp = SQLType(oid: 1114)
    package static let timestamptz = SQLType(oid: 1184)
    package static let uuid = SQLType(oid: 2950)
    package static let jsonb = SQLType(oid: 3802)

    package static let boolArray = SQLType(oid: 1000)
    package static let byteaArray = SQLType(oid: 1001)
    package static let int2Array = SQLType(oid: 1005)
    package static let int4Array = SQLType(oid: 1007)
    package static let textArray = SQLType(oid: 1009)
    package static let int8Array = SQLType(oid: 1016)
    package static let float8Array = SQLType(oid: 1022)
    package static let timestamptzArray = SQLType(oid: 1185)
    package static let uuidArray = SQLType(oid: 2951)
    package static let jsonArray = SQLType(oid: 199)
    package static let nameArray = SQLType(oid: 1003)
    package static let varcharArray = SQLType(oid: 1015)
    package static let float4Array = SQLType(oid: 1021)
    package static let jsonbArray = SQLType(oid: 3807)

    /// The array types that can be read. An array whose header names another element type, or a
    /// column that is no array, is refused before its elements are looked at.
    static let elementTypes: [SQLType: SQLType] = [
        .boolArray: .bool, .byteaArray: .bytea, .int2Array: .int2, .int4Array: .int4,
        .textArray: .text, .int8Array: .int8, .float8Array: .float8, .uuidArray: .uuid,
        .timestamptzArray: .timestamptz, .jsonbArray: .jsonb, .varcharArray: .varchar,
        .nameArray: .name, .jsonArray: .json, .float4Array: .float4,
    ]

    private static let names: [UInt32: String] = [
        16: "bool", 17: "bytea", 18: "\"char\"", 19: "name", 20: "int8", 21: "int2", 23: "int4",
        25: "text", 114: "json", 700: "float4", 701: "float8", 705: "unknown", 1042: "bpchar",
        1043: "varchar", 1082: "date", 1083: "time", 1114: "timestamp", 1184: "timestamptz",
        1186: "interval", 1700: "numeric", 2950: "uuid", 3802: "jsonb", 1000: "bool[]",
        1001: "bytea[]", 1005: "int2[]", 1007: "int4[]", 1009: "text[]", 1016: "int8[]",
        1022: "float8[]", 1185: "timestamptz[]", 2951: "uuid[]", 3807: "jsonb[]", 2278: "void",
    ]

    package var description: String {
        SQLType.names[oid] ?? "type with oid \(oid)"
    }
}
