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
        discussion: "The daemon has a page where it has a port: haul daemon start --port 7373")

    @Flag(help: "Print the page's URL instead; the page then asks for the daemon's token.") var print = false

    @Flag(help: "Write the URL, and whether it was opened, as one JSON line.") var json = false

    func run() async throws {
        let (options, prints, json) = (try DaemonEndpointOptions.parse([]), print, json)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            let configuration = try DaemonSetup(options).working()
            guard let port = try await client.info().port else {
                throw DownloadError(
                    .notPossible,
                    "the daemon has no port, and so no page: set port in its configuration, or start it with --port")
            }
            let url = PageDoor.url(address: configuration.address, port: port)
            if !prints { try await PageDoor.open(try PageDoor.make(url: url, paths: configuration.paths)) }
            guard !json else { return try outcome.write(Opened(url: url, opened: !prints)) }
            outcome.say(prints ? url : "opened \(url)")
        }
    }

    /// What was opened, as JSON.
    private struct Opened: Encodable {
        let url: String
        let opened: Bool
    }
}
