import ArgumentParser
import HaulCore
import HaulOptions
import HaulServer
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `haul daemon token`: the tokens with a name and a scope.
struct DaemonTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Manage tokens for access over TCP, each with a name and a scope.",
        discussion: """
            A scope is read (the list, events and metrics), add (also add downloads) or
            manage (also control downloads and change settings). The list records which
            token added a download.

            Changes apply at once, whether the daemon is running or not. The token in the
            file "token" of the state folder keeps all rights.
            """,
        subcommands: [DaemonTokenListCommand.self, DaemonTokenAddCommand.self, DaemonTokenRemoveCommand.self]
    )
}

/// `haul daemon token list`.
struct DaemonTokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the names and scopes of all tokens, not the tokens themselves.")

    @OptionGroup var options: DaemonEndpointOptions

    @Flag(help: OptionHelp.json)
    var json = false

    func run() async throws {
        try DaemonTokens(options).run { (file) throws(DownloadError) in
            let tokens = try file.read()
            for token in tokens {
                guard !json else {
                    OutputFile.standardOutput.write(try WireJSON.line(DaemonTokens.Line(token)))
                    continue
                }
                DaemonOutput.say(DaemonTokens.line(token))
            }
            // Another state folder than the daemon's has none, either.
            if tokens.isEmpty, !json { DaemonOutput.note("no named tokens in \(file.path)") }
        }
    }
}

/// `haul daemon token add`.
struct DaemonTokenAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make a token, and print it: it cannot be shown again.")

    @Argument(help: ArgumentHelp("Name of the token: letters, digits and - _ . @", valueName: "name"))
    var name: String

    @Option(
        help: ArgumentHelp("What it allows: read, add (includes read) or manage (includes both).", valueName: "scope"),
        completion: .list(TokenScope.allCases.map(\.rawValue)))
    var scope: String

    @Flag(help: "Replace the token with this name; the old one is no longer accepted.")
    var replace = false

    @OptionGroup var options: DaemonEndpointOptions

    func run() async throws {
        var problems = InvalidOptions()
        let scope = problems.read("--scope") { () throws(DownloadError) in
            try ChoiceArgument.parse(self.scope, as: TokenScope.self)
        }
        guard let scope else { throw problems }
        try DaemonTokens(options).run(creates: true) { (file) throws(DownloadError) in
            var random = SystemRandomNumberGenerator()
            let token = try file.add(name, scope, replaces: replace, at: Date(), using: &random)
            DaemonOutput.say(token.text)
        }
    }
}

/// `haul daemon token remove`.
struct DaemonTokenRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a token: it is no longer accepted.")

    @Argument(help: ArgumentHelp("Name of the token.", valueName: "name"))
    var name: String

    @OptionGroup var options: DaemonEndpointOptions

    func run() async throws {
        try DaemonTokens(options).run { (file) throws(DownloadError) in
            try file.remove(name)
            DaemonOutput.say("removed \(name)")
        }
    }
}

/// The common part of the token commands.
struct DaemonTokens {
    private let setup: DaemonSetup

    init(_ options: DaemonEndpointOptions) { setup = DaemonSetup(options) }

    /// Calls `body` with the file of tokens.
    ///
    /// - Parameter creates: True to create the state folder if it does not exist.
    /// - Throws: The exit code, as the argument parser expects it.
    func run(creates: Bool = false, _ body: (TokenFile) throws(DownloadError) -> Void) throws {
        do throws(DownloadError) {
            let paths = try setup.working().paths
            if creates { try paths.prepare(makesSocket: false) }
            try body(TokenFile(path: paths.tokens))
        } catch {
            throw ArgumentParser.ExitCode(DaemonOutput.fail(error))
        }
    }

    /// Returns a token as a line for people.
    static func line(_ token: NamedToken) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.utf8.count))
        }
        return
            "\(padded(token.name, 16))  \(padded(token.scope.rawValue, 6))  added \(WireJSON.time(token.made).prefix(10))"
    }

    /// A token as a line of JSON.
    struct Line: Encodable {
        let name: String
        let scope: TokenScope
        let added: Date

        init(_ token: NamedToken) { (name, scope, added) = (token.name, token.scope, token.made) }
    }
}
