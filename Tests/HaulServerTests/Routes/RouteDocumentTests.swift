import Foundation
import HTTPTypes
import Haul
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import Testing

@Suite("The API's document", .usesSockets)
struct RouteDocumentTests {
    private static func document() throws -> [String: Any] {
        let here = URL(filePath: #filePath)
        let file = here.deletingLastPathComponent().appending(path: "../../../Sources/HaulServer/API/openapi.json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        return try #require(json as? [String: Any])
    }

    @Test("Each operation of the document is routed, and each route is in the document")
    func operations() async throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: Any]])
        let documented = Set(paths.flatMap { path, operations in operations.keys.map { "\($0.uppercased()) \(path)" } })
        try await ServedTrial.run { trial in
            let routed = APIRoutes.all(trial.state).map { "\($0.method.rawValue) \($0.path)" }
            #expect(Set(routed).count == routed.count)
            #expect(Set(routed) == documented)
        }
    }

    @Test("An operation wants the token exactly where the document says so")
    func security() async throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: [String: Any]]])
        let open = Set(
            paths.flatMap { path, operations in
                operations.filter { ($0.value["security"] as? [Any])?.isEmpty == true }
                    .map { "\($0.key.uppercased()) \(path)" }
            })
        try await ServedTrial.run { trial in
            for route in APIRoutes.all(trial.state) {
                let isOpen = open.contains("\(route.method.rawValue) \(route.path)")
                #expect(route.rule == (isOpen ? .open : .api), "\(route.path)")
            }
        }
    }

    @Test("An operation needs the scope that the document names")
    func scopes() async throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: [String: Any]]])
        var documented: [String: [[String: [String]]]] = [:]
        for (path, operations) in paths {
            for (method, operation) in operations {
                documented["\(method.uppercased()) \(path)"] = operation["security"] as? [[String: [String]]]
            }
        }
        let scopes = documented
        try await ServedTrial.run { trial in
            for route in APIRoutes.all(trial.state) where route.rule == .api {
                let name = "\(route.method.rawValue) \(route.path)"
                #expect(scopes[name] == [["token": [route.scope.rawValue]]], "\(name)")
            }
        }
    }

    @Test("Its messages have the fields of the types, and the other way round")
    func fields() throws {
        let components = try #require(try Self.document()["components"] as? [String: Any])
        let schemas = try #require(components["schemas"] as? [String: [String: Any]])
        func documented(_ name: String) throws -> Set<String> {
            Set(try #require(schemas[name]?["properties"] as? [String: Any]).keys)
        }
        func names<Message: KnownFields>(_ type: Message.Type) -> Set<String> {
            Message.knownFields
        }
        #expect(try documented("DownloadRequest") == names(DownloadRequest.self))
        #expect(try documented("BatchRequest") == names(BatchRequest.self))
        #expect(try documented("CancelRequest") == names(CancelRequest.self))
        #expect(try documented("RetryRequest") == names(RetryRequest.self))
        #expect(try documented("MoveRequest") == names(MoveRequest.self))
        #expect(try documented("SourceRequest") == names(SourceRequest.self))
        #expect(try documented("ChangeRequest") == names(ChangeRequest.self))
        #expect(try documented("ActionRequest") == names(ActionRequest.self))
        #expect(try documented("Filter") == names(FilterMessage.self))
        #expect(try documented("SettingsPatch") == names(SettingsPatch.self))
        #expect(try documented("Empty").isEmpty)
    }

    @Test("It is served as it stands in the sources, to everyone who may call the daemon")
    func served() async throws {
        try await ServedTrial.run { trial in
            let response = try await trial.raw(
                "GET /api/v1/openapi.json HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
            #expect(RawClient.status(response) == 200)
            let body = try #require(response.range(of: "\r\n\r\n")).upperBound
            let served = try #require(
                try JSONSerialization.jsonObject(with: Data(response[body...].utf8)) as? [String: Any])
            let document = try Self.document()
            #expect(NSDictionary(dictionary: served) == NSDictionary(dictionary: document))
        }
    }
}
