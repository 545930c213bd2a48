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
        commandName: "open", abstract: "Open the web page of the daemon in a browser.",
        discussion: "The page requires a port: haul daemon start --port 7373")

    @Flag(help: "Print the URL instead; the page then asks for the token of the daemon.") var print = false

    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        let (options, prints, json) = (try DaemonEndpointOptions.parse([]), print, json)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            let configuration = try DaemonSetup(options).working()
            guard let port = try await client.info().port else {
                throw DownloadError(
                    .notPossible,
                    "the daemon has no port, which the page requires: set port in its configuration, or start it with --port"
                )
            }
            let url = PageDoor.url(address: configuration.address, port: port)
            if !prints { try await PageDoor.open(try PageDoor.make(url: url, paths: configuration.paths)) }
            guard !json else { return try outcome.write(Opened(url: url, opened: !prints)) }
            outcome.say(prints ? url : "opened \(url)")
        }
    }

    /// The result of opening the page, as JSON.
    private struct Opened: Encodable {
        let url: String
        let opened: Bool
    }
}
