import Foundation
import HaulServer
import Testing

@Suite("The property list for launchd")
struct LaunchAgentTests {
    @Test("it is a valid property list that runs the daemon, whatever is in the path")
    func valid() throws {
        let agent = LaunchAgent(program: "/Users/a & b/<haul>", log: "/Users/a & b/daemon.log")
        // Safe: no place for the format is given.
        let list = try unsafe PropertyListSerialization.propertyList(from: Data(agent.text.utf8), format: nil)
        let values = try #require(list as? [String: Any])
        #expect(values["Label"] as? String == LaunchAgent.label)
        #expect(values["ProgramArguments"] as? [String] == ["/Users/a & b/<haul>", "daemon", "run"])
        #expect(values["StandardErrorPath"] as? String == "/Users/a & b/daemon.log")
        #expect(values["RunAtLoad"] as? Bool == true)
        #expect(LaunchAgent.fileName == "haul.daemon.plist")
    }

    @Test("a socket's path may have as many bytes as the system's address holds")
    func socketPath() {
        #if canImport(Darwin)
            #expect(DaemonPaths.maxSocketPath == 103)
        #else
            #expect(DaemonPaths.maxSocketPath == 107)
        #endif
    }
}
