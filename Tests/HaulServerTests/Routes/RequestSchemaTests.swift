import Foundation
import HaulCore
import HaulWire
import Testing

@Suite("The API's document and requests")
struct RequestSchemaTests {
    private static func properties(of name: String) throws -> [String: [String: Any]] {
        let here = URL(filePath: #filePath)
        let file = here.deletingLastPathComponent().appending(path: "../../../Sources/HaulServer/API/openapi.json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let schemas = try #require((json?["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
        return try #require(schemas[name]?["properties"] as? [String: [String: Any]])
    }

    /// Whether the daemon takes a request with a field.
    private func accepts(_ name: String, _ value: String) -> Bool {
        let url = name == "url" ? "" : #""url":"http://h/","#
        let json = Data(#"{\#(url)"\#(name)":\#(value)}"#.utf8)
        return (try? WireJSON.decode(Checked<DownloadRequest>.self, from: json).message.spec(to: .folder(path: "/d")))
            != nil
    }

    /// Values that a schema allows and forbids.
    private func values(_ schema: [String: Any]) -> (allowed: [String], forbidden: [String]) {
        if let words = schema["enum"] as? [String] {
            return (words.map { "\"\($0)\"" }, ["\"nonsense\"", "5"])
        }
        let (least, most) = (schema["minimum"] as? NSNumber, schema["maximum"] as? NSNumber)
        switch schema["type"] as? String {
        case "boolean": return (["true", "false"], ["\"x\"", "5"])
        case "integer":
            return (
                [least, most].compactMap { $0?.stringValue },
                ["\"x\"", "1.5"]
                    + [least.map { "\($0.int64Value - 1)" }, most.map { "\($0.int64Value + 1)" }].compactMap(\.self)
            )
        case "number":
            return (
                [least, most].compactMap { $0?.stringValue },
                ["\"x\""]
                    + [least.map { "\($0.doubleValue / 10)" }, most.map { "\($0.doubleValue * 2)" }].compactMap(\.self)
            )
        case "string": return ([], ["5", "true"])
        case _: return ([], ["5", "\"x\""])
        }
    }

    @Test("a request with a value that the document allows is taken, and one that it forbids is not")
    func bounds() throws {
        let properties = try Self.properties(of: "DownloadRequest")
        #expect(Set(properties.keys) == DownloadRequest.knownFields)
        for (name, schema) in properties {
            let (allowed, forbidden) = values(schema)
            for value in allowed { #expect(accepts(name, value), "\(name): \(value)") }
            for value in forbidden { #expect(!accepts(name, value), "\(name): \(value)") }
        }
        for (field, value) in try Self.properties(of: "Connections") {
            let (allowed, forbidden) = values(value)
            let other = field == "mode" ? #""limit":4"# : #""mode":"fixed""#
            for value in allowed { #expect(accepts("connections", #"{\#(other),"\#(field)":\#(value)}"#), "\(value)") }
            for value in forbidden {
                #expect(!accepts("connections", #"{\#(other),"\#(field)":\#(value)}"#), "\(value)")
            }
        }
    }

    @Test("the document names every word of an option with a few words")
    func words() throws {
        let properties = try Self.properties(of: "DownloadRequest")
        func words(_ name: String) -> Set<String> { Set(properties[name]?["enum"] as? [String] ?? []) }
        #expect(words("onConflict") == Set(ConflictPolicy.allCases.map(\.rawValue)))
        #expect(words("authentication") == Set(AuthenticationScheme.allCases.map(\.rawValue)))
        #expect(words("compression") == Set(Compression.allCases.map(\.rawValue)))
    }
}
