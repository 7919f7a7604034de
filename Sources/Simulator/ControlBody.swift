import Foundation

/// Reads and writes the bodies of the control API.
enum ControlBody {
    /// Decodes strictly: one unambiguous JSON text, every field known. A misspelt field that is
    /// silently left out would make a test pass that tests nothing.
    static func decode<Body: Codable>(_: Body.Type, _ bytes: [UInt8]) throws(ControlError) -> Body {
        let given: JSONValue
        let body: Body
        let known: JSONValue
        do {
            given = try JSONValue(bytes)
            body = try JSONDecoder().decode(Body.self, from: Data(bytes))
            known = try JSONValue(encode(body))
        } catch let error as JSONError {
            throw ControlError(.malformedBody, "Send one JSON text: \(error.message)")
        } catch let error as DecodingError {
            throw ControlError(.malformedBody, sentence(about: error))
        } catch {
            throw ControlError(.malformedBody, "The body cannot be read: \(error)")
        }
        if let stray = strayField(given, known, "") {
            throw ControlError(.malformedBody, "There is no field \(stray); correct or remove it.")
        }
        return body
    }

    static func encode(_ body: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(body))
    }

    /// The first field given that is not in the same body written anew.
    private static func strayField(
        _ given: JSONValue, _ known: JSONValue, _ pointer: String
    ) -> String? {
        switch (given, known) {
        case (.object(let members), .object):
            for member in members where !member.value.isNull {
                let inner = "\(pointer)/\(member.name)"
                guard let twin = known[member.name] else { return inner }
                if let stray = strayField(member.value, twin, inner) { return stray }
            }
            return nil
        case (.array(let elements), .array(let twins)):
            for (index, (element, twin)) in zip(elements, twins).enumerated() {
                if let stray = strayField(element, twin, "\(pointer)/\(index)") { return stray }
            }
            return nil
        default: return nil
        }
    }

    private static func sentence(about error: DecodingError) -> String {
        let (context, what): (DecodingError.Context, String) =
            switch error {
            case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
            case .typeMismatch(_, let context): (context, "a value has the wrong type")
            case .valueNotFound(_, let context): (context, "a value is null")
            case .dataCorrupted(let context): (context, context.debugDescription)
            @unknown default: (.init(codingPath: [], debugDescription: ""), "it cannot be read")
            }
        let pointer = context.codingPath.map {
            "/\($0.intValue.map(String.init) ?? $0.stringValue)"
        }
        return "At \(pointer.isEmpty ? "the top" : pointer.joined()): \(what)."
    }
}
