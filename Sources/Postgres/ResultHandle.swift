internal import CPostgres
internal import Glibc

/// The one owner of a `PGresult`. Clears it exactly once, when the last row is gone.
@safe final class ResultHandle {
    private let pointer: OpaquePointer
    let rowCount: Int
    let columnCount: Int

    init(adopting pointer: OpaquePointer) {
        unsafe self.pointer = pointer
        rowCount = Int(unsafe PQntuples(pointer))
        columnCount = Int(unsafe PQnfields(pointer))
    }

    deinit { unsafe PQclear(pointer) }

    var status: ExecStatusType { unsafe PQresultStatus(pointer) }

    /// Rows inserted, updated, deleted or selected, as the server's command tag says.
    var affected: Int {
        guard let text = unsafe PQcmdTuples(pointer) else { return 0 }
        return Int(unsafe String(cString: text)) ?? 0
    }

    /// The server's word for what it did, such as `COMMIT`.
    var commandTag: String {
        guard let text = unsafe PQcmdStatus(pointer) else { return "" }
        return unsafe String(cString: text)
    }

    func field(_ code: Int32) -> String? {
        guard let text = unsafe PQresultErrorField(pointer, code) else { return nil }
        return unsafe String(cString: text)
    }

    /// The first column of exactly this name.
    func index(of column: String) -> Int? {
        unsafe column.withCString { name in
            for index in 0..<columnCount {
                guard let other = unsafe PQfname(pointer, Int32(index)) else { continue }
                if unsafe strcmp(name, other) == 0 { return index }
            }
            return nil
        }
    }

    func name(of column: Int) -> String {
        guard let name = unsafe PQfname(pointer, Int32(column)) else { return "" }
        return unsafe String(cString: name)
    }

    /// The row and column must exist.
    func decode<T: SQLDecodable>(
        _: T.Type, row: Int, column: Int
    ) throws(PostgresError) -> T {
        if unsafe PQgetisnull(pointer, Int32(row), Int32(column)) != 0 { return try T.decodeNull() }
        let type = SQLType(oid: unsafe PQftype(pointer, Int32(column)))
        let count = Int(unsafe PQgetlength(pointer, Int32(row), Int32(column)))
        let start = unsafe UnsafeRawPointer(PQgetvalue(pointer, Int32(row), Int32(column)))
        let buffer = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        // The bytes live as long as the result, which `self` keeps alive past this call.
        return try T.decode(unsafe buffer.bytes, type: type)
    }
}
