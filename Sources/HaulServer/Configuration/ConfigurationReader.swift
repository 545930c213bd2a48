import Configuration
import Haul
package import HaulCore
import HaulWire
import Logging

/// Reads the daemon's configuration: options take precedence over the environment, and the environment over the file.
package struct ConfigurationReader: Sendable {
    private let reader: ConfigReader
    let file: ConfigurationFile
    private let environment: [String: String]
    private let flags: Set<ConfigurationKey>

    /// Makes a reader for the three sources.
    package init(
        flags: [ConfigurationKey: [String]], environment: [String: String], file: ConfigurationFile
    ) {
        let variables = EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "haul")
        let given = InMemoryProvider(name: "flags", values: ConfigurationFile.content(flags))
        reader = ConfigReader(providers: [given, variables, file.provider])
        (self.file, self.environment, self.flags) = (file, environment, Set(flags.keys))
    }

    /// The settings that are set, as texts.
    package var values: [ConfigurationKey: [String]] {
        ConfigurationKey.allCases.reduce(into: [:]) { result, key in
            result[key] = key.isList ? list(key) : text(key).map { [$0] }
        }
    }

    /// Returns the configuration.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the setting.
    package func configuration() throws(DownloadError) -> DaemonConfiguration {
        var paths = DaemonPaths(environment: environment)
        if let folder = text(.stateFolder) {
            paths.stateFolder = try absolute(folder, .stateFolder)
            // Daemons with different state folders do not share a socket either.
            paths.socket = paths.stateFolder + "/run/daemon.sock"
        }
        if let socket = text(.socket) { paths.socket = try absolute(socket, .socket) }
        var result = DaemonConfiguration(paths: paths, environment: environment)
        result.roots = list(.roots) ?? result.roots
        result.port = try number(.port, 0...65535)
        result.address = text(.address) ?? result.address
        result.allowsRemote = try flag(.allowRemote) ?? false
        result.hosts = list(.hosts) ?? []
        result.privateAddresses = try flag(.privateAddresses) ?? false
        result.resumesAtStart = try flag(.resumeAtStart) ?? true
        result.keepsHistory = try number(.keepHistory, 0...1_000_000_000) ?? result.keepsHistory
        result.notifies = try flag(.notifications) ?? false
        result.webhook = try webhook()
        result.allowsRPCFromAllOrigins = try flag(.rpcAllowOriginAll) ?? false
        result.caCertificatePath = text(.caCertificate)
        (result.proxy, result.noProxy) = (text(.proxy), text(.noProxy))
        result.logLevel = try choice(.logLevel, Logger.Level.self) ?? .info
        result.autostart = try flag(.autostart) ?? true
        result.hasNamedSocket = text(.socket) != nil
        result.logFormat = try choice(.logFormat, LogFormat.self)
        try read(into: &result.settings)
        try result.check()
        return result
    }

    private func read(into settings: inout ManagerSettings) throws(DownloadError) {
        settings.limit = try number(.jobs, 0...10_000) ?? settings.limit
        settings.hostLimit = try number(.jobsPerHost, 1...10_000)
        settings.eventsKept = try number(.keepEvents, 1...1_000_000_000) ?? settings.eventsKept
        settings.order = try choice(.order, QueueOrder.self) ?? settings.order
        if let text = text(.limitRate), !text.isEmpty, text != "0" {
            let schedule = try named(.limitRate) { () throws(DownloadError) in try RateSchedule(parsing: text) }
            _ = try named(.limitRate) { () throws(DownloadError) in
                try Bounds.check(schedule.otherwise ?? 0, 0...Bounds.maxRate, "the rate")
            }
            if schedule.parts.isEmpty {
                settings.rateLimit = schedule.otherwise
            } else {
                settings.rateSchedule = schedule
            }
        }
        for hook in file.hooks {
            do throws(DownloadError) {
                settings.hooks.append(try Self.hook(hook))
            } catch {
                throw DownloadError(error.code, "\(place(hook.line))\(error.message)", cause: error.cause)
            }
        }
    }

    private static func hook(_ entry: HookEntry) throws(DownloadError) -> HookCommand {
        let timeout = try Bounds.seconds(entry.timeout, "the timeout of a hook")
        return try HookCommand(on: try hookEvents(entry.on), arguments: entry.command, timeout: timeout)
    }

    private static func hookEvents(_ names: [String]) throws(DownloadError) -> Set<HookEvent> {
        var events: Set<HookEvent> = []
        for name in names {
            guard let event = HookEvent(rawValue: name) else {
                let known = HookEvent.allCases.map(\.rawValue).joined(separator: ", ")
                throw DownloadError(
                    .invalidRequest, "unknown event \"\(name)\": expected one of \(known)")
            }
            events.insert(event)
        }
        return events
    }

    private func webhook() throws(DownloadError) -> WebhookSettings? {
        let (on, secretPath) = (list(.webhookOn), text(.webhookSecretFile))
        guard let url = text(.webhook), !url.isEmpty else {
            guard on == nil, secretPath == nil else {
                throw DownloadError(.invalidRequest, "webhook-on and webhook-secret-file require webhook")
            }
            return nil
        }
        let events = try on.map { names throws(DownloadError) in try Self.hookEvents(names) }
        let path = try secretPath.map { path throws(DownloadError) in try absolute(path, .webhookSecretFile) }
        return try WebhookSettings(url: url, on: events, secretPath: path)
    }

    private func text(_ key: ConfigurationKey) -> String? { reader.string(forKey: ConfigKey([key.rawValue])) }

    private func list(_ key: ConfigurationKey) -> [String]? { reader.stringArray(forKey: ConfigKey([key.rawValue])) }

    private func number(_ key: ConfigurationKey, _ range: ClosedRange<Int>) throws(DownloadError) -> Int? {
        guard let text = text(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw wrong(key, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func flag(_ key: ConfigurationKey) throws(DownloadError) -> Bool? {
        guard let text = text(key) else { return nil }
        guard let flag = Bool(text) else { throw wrong(key, "true or false") }
        return flag
    }

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: ConfigurationKey, _ type: Choice.Type
    ) throws(DownloadError) -> Choice? {
        guard let text = text(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw wrong(key, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }

    private func absolute(_ path: String, _ key: ConfigurationKey) throws(DownloadError) -> String {
        guard path.hasPrefix("/") else { throw wrong(key, "an absolute path") }
        return path
    }

    private func wrong(_ key: ConfigurationKey, _ what: String) -> DownloadError {
        let found = text(key).map { ", found \"\(URLRedaction.quoted($0, width: 40))\"" } ?? ""
        return DownloadError(.invalidRequest, "\(origin(key)): expected \(what)\(found)")
    }

    /// Returns the origin of a value: an option, a variable, or a line of the file.
    func origin(_ key: ConfigurationKey) -> String {
        if flags.contains(key) { return key.option }
        let variable = "HAUL_" + key.rawValue.uppercased().replacing("-", with: "_")
        if environment[variable] != nil { return variable }
        guard let line = file.lines[key] else { return key.rawValue }
        return place(line) + key.rawValue
    }

    func place(_ line: Int) -> String { "\(file.path.isEmpty ? "" : "\(file.path), ")line \(line): " }

    private func named<Value>(
        _ key: ConfigurationKey, _ read: () throws(DownloadError) -> Value
    ) throws(DownloadError) -> Value {
        do throws(DownloadError) {
            return try read()
        } catch {
            throw DownloadError(error.code, "\(origin(key)): \(error.message)", cause: error.cause)
        }
    }
}
