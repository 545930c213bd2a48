import HaulClient
import HaulCore
import HaulLibC
import HaulServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the settings of the daemon from the options, the environment and the configuration file.
struct DaemonSetup: Sendable {
    private var flags: [ConfigurationKey: [String]]
    private var file: String?
    private(set) var environment: [String: String]

    /// Takes the options; relative paths are resolved in the current folder.
    init(_ options: DaemonOptions, environment: [String: String] = ProcessEnvironment.all) {
        self.init(options.flags, at: options.endpoint, environment)
    }

    /// Takes the options that find a running daemon.
    init(_ endpoint: DaemonEndpointOptions) {
        self.init(endpoint.flags, at: endpoint, ProcessEnvironment.all)
    }

    private init(
        _ given: [ConfigurationKey: [String]], at endpoint: DaemonEndpointOptions, _ environment: [String: String]
    ) {
        let here = FileManager.default.currentDirectoryPath
        func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : here + "/" + path }
        var flags = given
        for key in ConfigurationKey.allCases where key.isPath {
            flags[key] = flags[key]?.map(absolute)
        }
        (self.flags, self.environment) = (flags, environment)
        file = endpoint.config.map(absolute)
    }

    /// Returns the configuration; its file is read on each call.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` or `fileFailed`.
    func configuration() throws(DownloadError) -> DaemonConfiguration { try reader().configuration() }

    /// Returns the reader of the configuration.
    ///
    /// - Throws: As `configuration()`, for a file that can't be read or parsed.
    func reader() throws(DownloadError) -> ConfigurationReader {
        let file = try read(configurationPath)
        if let first = file.locatedProblems.first { throw first }
        return ConfigurationReader(flags: flags, environment: environment, file: file)
    }

    /// Checks the configuration, and finds all errors in it.
    ///
    /// - Parameter makesSocket: False if the daemon gets its Unix socket from a service manager.
    /// - Throws: As `configuration()`, for a file that can't be read.
    func check(makesSocket: Bool = true) throws(DownloadError) -> ConfigurationCheck {
        let file = try read(configurationPath)
        return ConfigurationCheck(
            ConfigurationReader(flags: flags, environment: environment, file: file), environment: environment,
            makesSocket: makesSocket)
    }

    /// The path of the configuration file, which may be missing if no option names it.
    var configurationPath: String { file ?? DaemonPaths(environment: environment).configuration }

    /// True if the state folder is the one that the user has without any setting.
    func hasStandardStateFolder(_ paths: DaemonPaths) -> Bool {
        paths.stateFolder == DaemonPaths(environment: environment).stateFolder
    }

    /// The settings given as options, without those for the location of the daemon.
    var askedSettings: [ConfigurationKey: [String]] { flags.filter { $0.key != .stateFolder && $0.key != .socket } }

    /// The settings given as options or in the environment, without those for the location of the daemon.
    private var named: [ConfigurationKey: [String]] {
        ConfigurationReader(flags: flags, environment: environment, file: ConfigurationFile()).values
            .filter { $0.key != .stateFolder && $0.key != .socket }
    }

    /// Returns the record that a daemon started with this setup keeps for the next start.
    func record(_ configuration: DaemonConfiguration) -> DaemonRecord {
        DaemonRecord(named, configuration: file, socket: configuration.paths.socket)
    }

    /// Returns the settings given here that a running daemon does not have, as options or names of the configuration
    /// file.
    func differences(from record: DaemonRecord) -> [String] {
        let path = record.configuration ?? DaemonPaths(environment: environment).configuration
        var configuration = (try? read(path)) ?? ConfigurationFile()
        configuration.expandHome(environment["HOME"])
        var keys = record.differences(from: askedSettings, file: configuration.values).map(\.rawValue)
        if let file, file != path { keys.append("config") }
        return keys
    }

    /// Returns this setup with the settings of the last daemon that are not given here.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if one of them was not kept because it holds a password.
    func continuing(_ record: DaemonRecord?) throws(DownloadError) -> DaemonSetup {
        // Another configuration file means different settings.
        guard let record, file == nil else { return self }
        var result = self
        let given = named
        if let lost = record.withheld.first(where: { name in given.allSatisfy { $0.key.rawValue != name } }) {
            throw DownloadError(
                .notPossible,
                "the last daemon was started with --\(lost), which is not stored because it has a password: "
                    + "give it again with haul daemon start --\(lost), or start without with haul daemon start --reset")
        }
        for (key, value) in record.values where given[key] == nil { result.flags[key] = value }
        result.file = record.configuration
        return result
    }

    /// Returns the setup of a running daemon that keeps this record, without the options and variables of this one.
    ///
    /// - Returns: nil if it was started with a proxy that was not kept because of its password, and none is given here.
    func previous(_ record: DaemonRecord, stateFolder: String) -> DaemonSetup? {
        var result = self
        (result.flags, result.file) = (record.values, record.configuration)
        (result.flags[.stateFolder], result.flags[.socket]) = ([stateFolder], [record.socket])
        for key in ConfigurationKey.allCases { result.environment[key.variable] = nil }
        for key in ConfigurationKey.allCases where record.withheld.contains(key.rawValue) {
            guard let value = named[key] else { return nil }
            result.flags[key] = value
        }
        return result
    }

    /// Returns the configuration of a running daemon, to send requests to it or to stop it.
    ///
    /// If the file has become invalid since the daemon started, the daemon can still be reached: if one is running at
    /// the location given by the options and the environment, its configuration is returned.
    ///
    /// - Throws: `DownloadError` as `configuration()`, if there is none.
    func working() throws(DownloadError) -> DaemonConfiguration {
        do throws(DownloadError) {
            return try configuration()
        } catch {
            let reader = ConfigurationReader(flags: flags, environment: environment, file: ConfigurationFile())
            guard let standard = try? reader.configuration(), DaemonLock.holder(path: standard.paths.lock) != nil else {
                throw error
            }
            return standard
        }
    }

    private func read(_ path: String) throws(DownloadError) -> ConfigurationFile {
        // The default file may be missing; a file given as an option must exist.
        guard file != nil || FileManager.default.fileExists(atPath: path) else { return ConfigurationFile() }
        guard FileManager.default.fileExists(atPath: path) else {
            throw DownloadError(.fileFailed, "the configuration file \(path) does not exist")
        }
        guard let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8) else {
            throw DownloadError(
                .fileFailed, "can't read the configuration file \(path): it must be a readable UTF-8 file")
        }
        var file = ConfigurationFile(collecting: text)
        file.path = path
        return file
    }

    /// The environment of another process: arguments are visible to all users, a proxy's URL may contain a password, and
    /// that of a webhook is often a secret itself.
    var hiddenEnvironment: [String: String] {
        var result: [String: String] = [:]
        for key in hiddenKeys { result[key.variable] = flags[key]?.last }
        return result
    }

    private var hiddenKeys: [ConfigurationKey] {
        (flags[.proxy]?.last?.contains("@") == true ? [.proxy] : []) + (flags[.webhook] == nil ? [] : [.webhook])
    }

    /// Returns the arguments that another setup lacks.
    func arguments(notIn other: DaemonSetup) -> [String] {
        var rest = self
        rest.flags = flags.filter { other.flags[$0.key] == nil }
        if other.file == file { rest.file = nil }
        return rest.arguments
    }

    /// The arguments with which another process, given `hiddenEnvironment`, has the same options.
    var arguments: [String] {
        var result = file.map { ["--config=\($0)"] } ?? []
        let shown = flags.filter { !hiddenKeys.contains($0.key) }
        for (key, values) in shown.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            switch key {
            case .allowRemote, .privateAddresses, .notifications, .rpcAllowOriginAll: result.append("--\(key.rawValue)")
            case .roots: result += values.map { "--root=\($0)" }
            case .hosts: result += values.map { "--host=\($0)" }
            case .webhookOn: result += values.map { "--webhook-on=\($0)" }
            case .port, .address, .jobs, .jobsPerHost, .order, .limitRate, .resumeAtStart, .keepEvents, .keepHistory,
                .autostart, .webhook,
                .webhookSecretFile, .caCertificate, .proxy, .noProxy, .logLevel,
                .logFormat,
                .stateFolder,
                .socket:
                result += values.map { "--\(key.rawValue)=\($0)" }
            }
        }
        return result
    }
}

/// The output and exit codes of the daemon commands.
enum DaemonOutput {
    /// Writes a line to standard output.
    static func say(_ text: String) { OutputFile.standardOutput.write(TerminalText.printable(text) + "\n") }

    /// Writes warnings to standard error.
    static func warn(_ warnings: [String]) {
        for warning in warnings {
            OutputFile.standardError.write("haul: warning: \(TerminalText.printable(warning))\n")
        }
    }

    /// Writes a remark to standard error.
    static func note(_ text: String) { OutputFile.standardError.write("haul: \(TerminalText.printable(text))\n") }

    /// Writes all errors, and a remark, to standard error.
    ///
    /// - Returns: The exit code of the first error.
    static func fail(_ errors: [DownloadError], note advice: String? = nil) -> Int32 {
        let codes = errors.map { fail($0) }
        if let advice { note(advice) }
        return codes.first ?? ExitCode.complete.rawValue
    }

    /// Writes an error to standard error.
    ///
    /// - Returns: The exit code.
    static func fail(_ error: DownloadError) -> Int32 {
        OutputFile.standardError.write("haul: \(TerminalText.printable(error.description))\n")
        return ExitCode(error.code).rawValue
    }
}

extension DaemonClient {
    /// Creates a client for a command, which tells if the daemon does not respond.
    convenience init(forCommandAt socket: String) {
        self.init(.unix(path: socket)) { silence in
            let seconds = silence.components.seconds
            DaemonOutput.note("waiting for the daemon at \(socket), which has not responded for \(seconds) s")
        } onDelay: { obstacles in
            let reason = obstacles.isEmpty ? "a disk may not respond" : obstacles.joined(separator: "; ")
            DaemonOutput.note("the daemon at \(socket) is still working on the command: \(reason)")
        }
    }
}
