import Foundation
import HTTPTypes
import HaulClient
import HaulCore
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import Logging
import Testing

@Suite("Named tokens")
struct NamedTokensTests {
    private let folder: TemporaryFolder
    private let file: TokenFile
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = try TemporaryFolder()
        file = TokenFile(path: folder.path + "/tokens.json")
    }

    private func add(_ name: String, _ scope: TokenScope, replaces: Bool = false) throws -> AccessToken {
        var random = SystemRandomNumberGenerator()
        return try file.add(name, scope, replaces: replaces, at: Date(), using: &random)
    }

    @Test("a token is stored with its name, scope and time, for the user alone, and itself nowhere")
    func stored() throws {
        #expect(try file.read().isEmpty)
        let token = try add("prometheus", .read)
        let entries = try file.read()
        #expect(entries.map(\.name) == ["prometheus"] && entries[0].scope == .read)
        #expect(abs(entries[0].made.timeIntervalSinceNow) < 60)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try !String(contentsOf: URL(filePath: file.path), encoding: .utf8).contains(token.text))
    }

    @Test("a name is taken once, unless it is replaced; what is removed is gone")
    func names() throws {
        let first = try add("a", .read)
        let taken = #expect(throws: DownloadError.self) { try add("a", .manage) }
        #expect(taken?.code == .notPossible)
        let second = try add("a", .add, replaces: true)
        let keeper = TokenKeeper(file, logger: logger)
        #expect(keeper.find(first.text) == nil && keeper.find(second.text)?.scope == .add)
        try file.remove("a")
        #expect(keeper.find(second.text) == nil)
        #expect(throws: DownloadError.self) { try file.remove("a") }
    }

    @Test("tokens that can't be written leave the file as it is")
    func unwritable() throws {
        _ = try add("a", .read)
        let before = try Data(contentsOf: URL(filePath: file.path))
        try FileManager.default.createDirectory(atPath: file.path + ".new", withIntermediateDirectories: false)
        let error = #expect(throws: DownloadError.self) { try add("b", .read) }
        #expect(error?.code == .fileFailed && error?.message == "can't write \(file.path)")
        #expect(try Data(contentsOf: URL(filePath: file.path)) == before)
        try FileManager.default.removeItem(atPath: file.path + ".new")
        _ = try add("b", .read)
        #expect(try file.read().map(\.name) == ["a", "b"])
        #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
    }

    @Test(
        "a name that would not be plain in a list is refused",
        arguments: ["", "a b", "ä", "a\n", "a/b", "\"", String(repeating: "n", count: 65)])
    func badNames(name: String) {
        let error = #expect(throws: DownloadError.self) { try add(name, .read) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("a file that others may read, that is a link, or that is garbled gives nobody access")
    func badFiles() throws {
        let token = try add("a", .manage)
        func isAccepted() -> Bool { TokenKeeper(file, logger: logger).find(token.text) != nil }
        #expect(isAccepted())
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        #expect(!isAccepted())
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(isAccepted())
        try FileManager.default.moveItem(atPath: file.path, toPath: file.path + "x")
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: file.path + "x")
        #expect(!isAccepted())
        try FileManager.default.removeItem(atPath: file.path)
        #expect(
            FileManager.default.createFile(
                atPath: file.path, contents: Data("{".utf8), attributes: [.posixPermissions: 0o600]))
        #expect(!isAccepted())
        #expect(throws: DownloadError.self) { try add("b", .read) }
    }

    @Test("a file that could not be used is read again, although it has not changed")
    func usableAgain() throws {
        let token = try add("a", .read)
        let keeper = TokenKeeper(file, logger: logger)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        #expect(keeper.find(token.text) == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(keeper.find(token.text)?.name == "a")
    }

    @Test("of many tokens that are added at once, none is lost")
    func atOnce() async throws {
        let file = file
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<20 {
                tasks.addTask {
                    var random = SystemRandomNumberGenerator()
                    _ = try file.add("t\(number)", .read, at: Date(), using: &random)
                }
            }
            try await tasks.waitForAll()
        }
        #expect(Set(try file.read().map(\.name)) == Set((0..<20).map { "t\($0)" }))
    }

    @Test("each scope includes those before it")
    func scopes() {
        #expect(TokenScope.allCases == [.read, .add, .manage] && TokenScope.allCases == TokenScope.allCases.sorted())
    }
}

@Suite("Scopes of the API", .usesSockets)
struct ScopeTests {
    @Test("every operation is open to its scope and those above, and to no other; without a token to none")
    func operations() async throws {
        try await ServedTrial.run { trial in
            var tokens: [TokenScope: String] = [:]
            for scope in TokenScope.allCases { tokens[scope] = try trial.addToken(scope.rawValue, scope) }
            // What changes something is sent with a body that no route accepts.
            for route in APIRoutes.all(trial.state) where route.rule == .api && route.path != APIPath.events {
                let target = route.path.replacing("{id}", with: "999")
                func status(_ token: String) async throws -> Int? {
                    RawClient.status(
                        try await trial.raw(
                            "\(route.method.rawValue) \(target) HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer \(token)\r\n"
                                + "Content-Type: application/json\r\nContent-Length: 1\r\nConnection: close\r\n\r\n["))
                }
                for (scope, token) in tokens {
                    let found = try await status(token)
                    #expect(
                        (found == 403) == (scope < route.scope),
                        "\(route.method) \(target) with \(scope): \(found ?? 0)")
                    #expect(found != 401)
                }
                #expect(try await status(String(repeating: "0", count: 64)) == 401)
            }
        }
    }

    @Test("the list records who added a download; a removed token is refused at once")
    func addedBy() async throws {
        try await ServedTrial.run(privateAddresses: true) { trial in
            let token = try trial.addToken("alice", .add)
            func send(_ method: String, _ path: String, _ body: String = "") async throws -> String {
                try await trial.raw(
                    "\(method) \(path) HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer \(token)\r\n"
                        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                )
            }
            let one = #"{"url":"http://h.example/1","startsPaused":true}"#
            #expect(try await send("POST", APIPath.downloads, one).contains(#""addedBy":"alice""#))
            let many = #"{"downloads":[{"url":"http://h.example/2","startsPaused":true}]}"#
            #expect(RawClient.status(try await send("POST", APIPath.batch, many)) == 200)
            // A request can't say who makes it.
            let forged = #"{"url":"http://h.example/3","addedBy":"bob"}"#
            #expect(RawClient.status(try await send("POST", APIPath.downloads, forged)) == 400)
            var request = DownloadRequest(url: "http://h.example/4")
            request.startsPaused = true
            _ = try await trial.client.add(request)
            #expect(try await trial.client.list().downloads.map(\.addedBy) == ["alice", "alice", nil])
            // Whoever adds it again, it remains the first one's.
            #expect(try await trial.client.add(DownloadRequest(url: "http://h.example/1")).addedBy == "alice")
            try trial.tokens.remove("alice")
            #expect(RawClient.status(try await send("GET", APIPath.downloads)) == 401)
        }
    }
}
