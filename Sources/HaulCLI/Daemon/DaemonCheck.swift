import ArgumentParser
import Haul
import HaulCore
import HaulServer
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `haul daemon check`: the configuration, without starting anything.
struct DaemonCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the configuration that haul daemon run would use.",
        discussion: """
            It changes nothing, and needs no running daemon. Run it as the daemon's user.
            Exit code 0 if the configuration is valid, 2 if not.
            """)

    @OptionGroup var options: DaemonOptions

    @Flag(help: OptionHelp.json)
    var json = false

    func run() async throws {
        throw ArgumentParser.ExitCode(try DaemonCheck(DaemonSetup(options), json: json).run())
    }
}

/// Checks the configuration.
struct DaemonCheck {
    private let setup: DaemonSetup
    private let json: Bool

    /// Makes the check.
    init(_ setup: DaemonSetup, json: Bool) { (self.setup, self.json) = (setup, json) }

    /// Checks and reports, and returns the exit code.
    func run() throws -> Int32 {
        var (problems, warnings): ([DownloadError], [String]) = ([], EnvironmentNames.warnings(setup.environment))
        var configuration: DaemonConfiguration?
        do throws(DownloadError) {
            let check = try setup.check()
            (problems, configuration) = (check.problems, check.configuration)
            warnings += check.warnings
        } catch {
            problems = [error]
        }
        // A configuration can be invalid for reasons that have other codes elsewhere, such as a file that is missing.
        let code = problems.isEmpty ? ExitCode.complete : .invalidRequest
        if json {
            let result = Result(
                valid: problems.isEmpty, file: file, problems: problems.map(\.description), warnings: warnings,
                roots: configuration?.roots, socket: configuration?.paths.socket,
                stateFolder: configuration?.paths.stateFolder, port: configuration?.port)
            OutputFile.standardOutput.write(try WireJSON.line(result))
            return code.rawValue
        }
        DaemonOutput.warn(warnings)
        for problem in problems { _ = DaemonOutput.fail(problem) }
        if let configuration, problems.isEmpty { say(configuration) }
        return code.rawValue
    }

    /// The configuration file, if it exists.
    private var file: String? {
        let path = setup.configurationPath
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    private func say(_ configuration: DaemonConfiguration) {
        DaemonOutput.say("the configuration is valid")
        DaemonOutput.say("file:      \(file ?? "none (\(setup.configurationPath) does not exist)")")
        DaemonOutput.say("folders:   \(configuration.roots.joined(separator: ", "))")
        DaemonOutput.say("state:     \(configuration.paths.stateFolder)")
        DaemonOutput.say("socket:    \(configuration.paths.socket)")
        let port = configuration.port.map {
            $0 == 0 ? "\(configuration.address), any free port" : "\(configuration.address):\($0)"
        }
        DaemonOutput.say("port:      \(port ?? "none")")
        let settings = configuration.settings
        DaemonOutput.say("downloads: \(settings.limit.map { "\($0) at a time" } ?? "no limit")")
        if !settings.hooks.isEmpty { DaemonOutput.say("hooks:     \(settings.hooks.count)") }
        if let webhook = configuration.webhook { DaemonOutput.say("webhook:   \(webhook.url.origin.description)") }
    }

    private struct Result: Encodable {
        let valid: Bool
        let file: String?
        let problems: [String]
        let warnings: [String]
        let roots: [String]?
        let socket: String?
        let stateFolder: String?
        let port: Int?
    }
}
