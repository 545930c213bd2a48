import Foundation
import HaulLibC
import Logging
import Synchronization
import Testing

@testable import HaulCLI

@Suite struct TerminalEnvironmentTests {
    private func environment(_ variables: [String: String]) -> TerminalEnvironment {
        TerminalEnvironment { variables[$0] }
    }

    @Test(arguments: [
        ([:], false), (["LANG": "C"], false), (["LANG": "de_DE.UTF-8"], true), (["LANG": "en_US.utf8"], true),
        (["LANG": "C.UTF-8", "LC_ALL": "C"], false), (["LANG": "C", "LC_CTYPE": "C.UTF-8"], true),
        (["LC_ALL": "", "LC_CTYPE": "", "LANG": "C.UTF-8"], true), (["LC_CTYPE": "C.UTF-8", "LC_ALL": "POSIX"], false),
    ])
    func theLocaleDecidesAboutTheBar(variables: [String: String], unicode: Bool) {
        #expect(environment(variables).style.unicode == unicode)
    }

    @Test func noColorIsRespected() {
        #expect(environment([:]).style.colour)
        #expect(environment(["NO_COLOR": ""]).style.colour)
        #expect(!environment(["NO_COLOR": "1"]).style.colour)
    }

    @Test func aDumbTerminalGetsNoBars() {
        #expect(environment(["TERM": "xterm"]).canMoveCursor)
        #expect(!environment(["TERM": "dumb"]).canMoveCursor)
        #expect(!environment([:]).canMoveCursor)
    }

    @Test func theLogIsOneLineWithItsFields() {
        let lines = Mutex<[String]>([])
        let logger = Logger(label: "haul") { _ in
            ConsoleLogHandler(level: .info) { line in lines.withLock { $0.append(line) } }
        }
        logger.debug("hidden")
        logger.info("shown", metadata: ["b": "2", "a": "1"])
        #expect(lines.withLock { $0 } == ["haul: info: shown a=1 b=2"])
    }

    @Test("the environment of the process is that which Foundation reads")
    func process() {
        let variables = ProcessEnvironment.all
        #expect(variables == ProcessInfo.processInfo.environment && !variables.isEmpty)
        for (name, value) in variables { #expect(ProcessEnvironment.value(name) == value) }
        #expect(ProcessEnvironment.value("HAUL_THIS_IS_NOT_SET") == nil)
    }
}
