internal import Foundation
internal import Retention
internal import RetentionStore
internal import Signing

/// The identifier of one decision outside: its key in the table, so that a look-up goes to one
/// partition. It is no secret and proves nothing: row security decides what is seen.
struct DecisionReference: Equatable {
    private static let prefix = "dec_"
    private static let bytesCount = 16 + 1 + 8 + 16

    let key: AppEnvironment
    let place: DecisionPlace

    init(_ key: AppEnvironment, _ place: DecisionPlace) {
        self.key = key
        self.place = place
    }

    /// `nil` for what no decision has: another length, a foreign character, a time that no table
    /// holds, or another spelling of the same bytes.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.starts(with: Self.prefix.utf8),
            let decoded = Base64URL.decode(Array(bytes.dropFirst(Self.prefix.utf8.count))),
            decoded.count == Self.bytesCount
        else { return nil }
        var reader = CompactReader(decoded)
        guard let app = reader.uuid(), let isSandbox = reader.flag(),
            let signedDate = reader.instant(), let request = reader.uuid(),
            DecisionPlace.instants.contains(signedDate.milliseconds)
        else { return nil }
        key = AppEnvironment(
            app: AppID(app), environment: isSandbox ? .sandbox : .production)
        place = DecisionPlace(signedDate: signedDate, requestIdentifier: request)
        guard self.text == text else { return nil }
    }

    var text: String {
        var writer = CompactWriter()
        writer.append(key.app.uuid)
        writer.append(key.environment == .sandbox)
        writer.append(place.signedDate.milliseconds)
        writer.append(place.requestIdentifier)
        return Self.prefix + Base64URL.encode(writer.bytes)
    }

    static func == (a: DecisionReference, b: DecisionReference) -> Bool { a.text == b.text }
}

extension DecisionPlace {
    /// As far as RFC 3339 goes: a later time is in no row, and in no timestamptz.
    static let instants: ClosedRange<Int64> = 0...253_402_300_799_999
}
