import ArgumentParser
import Haul
import HaulServer
import Testing

@testable import HaulCLI

@Suite("The options of the daemon")
struct DaemonOptionsTests {
    @Test("those for retention are passed on to the daemon that is started")
    func retention() throws {
        let options = try DaemonOptions.parse(["--keep-events", "500", "--keep-history", "10"])
        #expect(options.flags == [.keepEvents: ["500"], .keepHistory: ["10"]])
        let setup = DaemonSetup(options, environment: ["HOME": "/h"])
        #expect(setup.arguments == ["--keep-events=500", "--keep-history=10"])
        let configuration = try setup.configuration()
        #expect(configuration.settings.eventsKept == 500 && configuration.keepsHistory == 10)
    }
}
