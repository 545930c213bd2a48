import ArgumentParser
import Haul
import HaulClient
import HaulCore
import HaulServer
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `haul open`.
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open the daemon's page in the browser.",
        discussion: "The daemon has a page where it has a port: haul daemon start --port 6880")

    @Flag(help: "Print the page's URL instead; the page then asks for the daemon's token.") var print = false

    func run() async throws {
        let (options, prints) = (try DaemonOptions.parse([]), print)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            let configuration = try DaemonSetup(options).configuration()
            guard let port = try await client.info().port else {
                throw DownloadError(
                    .notPossible,
                    "the daemon has no port, and so no page: set port in its configuration, or start it with --port")
            }
            let url = PageDoor.url(address: configuration.address, port: port)
            guard !prints else { return outcome.say(url) }
            let door = try PageDoor.make(url: url, paths: configuration.paths)
            try await PageDoor.open(door)
            outcome.say("opened \(url)")
        }
    }
}
