import ArgumentParser
import Foundation
import HaulCore
import HaulServer
import Testing

@testable import HaulCLI

@Suite("haul daemon token")
struct DaemonTokensTests {
    private func entry(_ name: String, _ scope: TokenScope) throws -> NamedToken {
        NamedToken(
            name: name, scope: scope, made: Date(timeIntervalSince1970: 1_769_860_800),
            token: try AccessToken(String(repeating: "k", count: 32)))
    }

    @Test("a token is listed in columns, without itself")
    func lines() throws {
        #expect(DaemonTokens.line(try entry("alice", .add)) == "alice             add     added 2026-01-31")
        let long = String(repeating: "n", count: 20)
        #expect(DaemonTokens.line(try entry(long, .manage)) == "\(long)  manage  added 2026-01-31")
    }

    @Test("the name and the scope must be given, and nothing else is taken for a scope")
    func arguments() throws {
        #expect(throws: (any Error).self) { try DaemonTokenAddCommand.parse(["alice"]) }
        let command = try DaemonTokenAddCommand.parse(["alice", "--scope", "read", "--replace"])
        #expect(command.name == "alice" && command.scope == "read" && command.replace)
    }

    @Test("a wrong scope is an error of usage")
    func scope() async throws {
        let command = try DaemonTokenAddCommand.parse(["alice", "--scope", "root"])
        await #expect(throws: InvalidOptions.self) { try await command.run() }
    }
}
