import Foundation
import Haul
import Testing

@Suite struct HookCommandTests {
    @Test(arguments: ["/bin/true", "true", "a b", "-x", "/with space/x"])
    func takesAbsolutePathsAndNames(program: String) throws {
        let command = try HookCommand(on: [.failed], arguments: [program, ""])
        #expect(command.arguments == [program, ""])
        #expect(command.timeout == .seconds(60))
    }

    @Test(arguments: [[], [""], ["./x"], ["a/b"], ["a\0b"], ["/bin/true", "x\0"], ["/\u{301}x"], ["../x"]])
    func refusesWhatIsNoProgram(arguments: [String]) {
        let error = #expect(throws: DownloadError.self) { try HookCommand(on: [.added], arguments: arguments) }
        #expect(error?.code == .invalidRequest)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func refusesATimeoutOfNothing(timeout: Duration) {
        let error = #expect(throws: DownloadError.self) {
            try HookCommand(on: [.added], arguments: ["x"], timeout: timeout)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func codesAsAConfigurationWouldHaveIt() throws {
        let command = try HookCommand(
            on: [.idle, .added, .failed], arguments: ["x", "y"], timeout: .milliseconds(1500))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(command), as: UTF8.self)
        #expect(text == #"{"arguments":["x","y"],"on":["added","failed","idle"],"timeout":1.5}"#)
        #expect(try JSONDecoder().decode(HookCommand.self, from: Data(text.utf8)) == command)
    }

    @Test func decodesWithTheDefaultTimeout() throws {
        let command = try decoded(#"{"on":["completed"],"arguments":["x"]}"#)
        #expect(command.timeout == .seconds(60))
        #expect(command.on == [.completed])
    }

    @Test(arguments: [
        #"{"on":["completed"],"arguments":[]}"#, #"{"on":["completed"],"arguments":["./x"]}"#,
        #"{"on":["done"],"arguments":["x"]}"#, #"{"on":["idle"],"arguments":["x"],"timeout":0}"#,
        #"{"on":["idle"],"arguments":["x"],"timeout":-1}"#,
    ])
    func decodesNothingThatCouldNotBeMade(text: String) {
        #expect(throws: (any Error).self) { try decoded(text) }
    }

    private func decoded(_ text: String) throws -> HookCommand {
        try JSONDecoder().decode(HookCommand.self, from: Data(text.utf8))
    }
}
