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
        let home = environment["HOME"]
        var file = file
        file.expandHome(home)
        var texts = environment
        for key in ConfigurationKey.allCases where key.isPath {
            guard let text = texts[key.variable] else { continue }
            let paths =
                key.isList ? text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) : [text]
            texts[key.variable] = paths.map { ConfigurationFile.expanded($0, home) }.joined(separator: ",")
        }
        let variables = EnvironmentVariablesProvider(environmentVariables: texts).prefixKeys(with: "haul")
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
        let (configuration, problems) = checked()
        if let first = problems.first { throw first }
        return configuration
    }

    /// Returns the configuration as far as the values are valid, and all errors in them.
    func checked() -> (configuration: DaemonConfiguration, problems: [DownloadError]) {
        var problems: [DownloadError] = []
        var paths = DaemonPaths(environment: environment)
        if let folder = absolute(.stateFolder, &problems) {
            paths.stateFolder = folder
            // Daemons with different state folders do not share a socket either.
            paths.socket = paths.stateFolder + "/run/daemon.sock"
        }
        paths.socket = absolute(.socket, &problems) ?? paths.socket
        var result = DaemonConfiguration(paths: paths, environment: environment)
        result.roots = list(.roots) ?? result.roots
        let before = problems.count
        result.port = number(.port, 0...65535, &problems)
        result.address = text(.address) ?? result.address
        result.allowsRemote = flag(.allowRemote, &problems) ?? false
        // If a value is missing because of an error, what depends on it says nothing.
        if problems.count == before, file.isKnown(.port, .address, .allowRemote) {
            _ = kept(.address, &problems) { [result] () throws(DownloadError) in try result.check() }
        }
        result.hosts = list(.hosts) ?? []
        result.privateAddresses = flag(.privateAddresses, &problems) ?? false
        result.resumesAtStart = flag(.resumeAtStart, &problems) ?? true
        result.keepsHistory = number(.keepHistory, 0...1_000_000_000, &problems) ?? result.keepsHistory
        result.notifies = flag(.notifications, &problems) ?? false
        result.webhook = webhook(&problems)
        result.allowsRPCFromAllOrigins = flag(.rpcAllowOriginAll, &problems) ?? false
        result.caCertificatePath = text(.caCertificate)
        (result.proxy, result.noProxy) = (text(.proxy), text(.noProxy))
        result.logLevel = choice(.logLevel, Logger.Level.self, &problems) ?? .info
        result.autostart = flag(.autostart, &problems) ?? true
        result.hasNamedSocket = text(.socket) != nil
        result.logFormat = choice(.logFormat, LogFormat.self, &problems)
        read(into: &result.settings, &problems)
        return (result, problems)
    }

    private func read(into settings: inout ManagerSettings, _ problems: inout [DownloadError]) {
        settings.limit = number(.jobs, 0...ManagerSettings.maxLimit, &problems) ?? settings.limit
        settings.hostLimit = number(.jobsPerHost, 1...10_000, &problems)
        settings.eventsKept = number(.keepEvents, 1...1_000_000_000, &problems) ?? settings.eventsKept
        settings.order = choice(.order, QueueOrder.self, &problems) ?? settings.order
        if let text = text(.limitRate), !text.isEmpty, text != "0" {
            let schedule = kept(.limitRate, &problems) { () throws(DownloadError) in
                let schedule = try RateSchedule(parsing: text)
                _ = try Bounds.check(schedule.otherwise ?? 0, 0...Bounds.maxRate, "the rate")
                return schedule
            }
            if schedule?.parts.isEmpty == true {
                settings.rateLimit = schedule?.otherwise
            } else {
                settings.rateSchedule = schedule
            }
        }
        for entry in file.hooks {
            if let hook = hook(entry, &problems) { settings.hooks.append(hook) }
        }
        for entry in file.partialHooks { _ = hook(entry, &problems) }
    }

    /// Returns the hook of an entry; keeps all errors in it.
    private func hook(_ entry: HookEntry, _ problems: inout [DownloadError]) -> HookCommand? {
        let events = kept(entry, &problems) { () throws(DownloadError) in try Self.hookEvents(entry.on) }
        let timeout = kept(entry, &problems) { () throws(DownloadError) in
            try Bounds.seconds(entry.timeout, "the timeout of a hook")
        }
        guard let events, let timeout, entry.problems.isEmpty else { return nil }
        return kept(entry, &problems) { () throws(DownloadError) in
            try HookCommand(on: events, arguments: entry.command, timeout: timeout)
        }
    }

    /// Returns what `read` returns; keeps its error, with the line of the hook.
    private func kept<Value>(
        _ entry: HookEntry, _ problems: inout [DownloadError], _ read: () throws(DownloadError) -> Value
    ) -> Value? {
        do throws(DownloadError) {
            return try read()
        } catch {
            problems.append(DownloadError(error.code, "\(place(entry.line))\(error.message)", cause: error.cause))
            return nil
        }
    }

    private static func hookEvents(_ names: [String]) throws(DownloadError) -> Set<HookEvent> {
        var events: Set<HookEvent> = []
        for name in names {
            guard let event = HookEvent(rawValue: name) else {
                let unknown = names.filter { HookEvent(rawValue: $0) == nil }.map { "\"\($0)\"" }
                let known = HookEvent.allCases.map(\.rawValue).joined(separator: ", ")
                throw DownloadError(
                    .invalidRequest, "unknown event \(unknown.joined(separator: ", ")): expected one of \(known)")
            }
            events.insert(event)
        }
        return events
    }

    private func webhook(_ problems: inout [DownloadError]) -> WebhookSettings? {
        let names = list(.webhookOn)
        let events = names.flatMap { names in
            kept(.webhookOn, &problems) { () throws(DownloadError) in try Self.hookEvents(names) }
        }
        let path = absolute(.webhookSecretFile, &problems)
        guard let url = text(.webhook), !url.isEmpty else {
            let others = [(ConfigurationKey.webhookOn, names != nil), (.webhookSecretFile, path != nil)]
            for (key, isSet) in others where isSet && file.isKnown(.webhook) {
                problems.append(DownloadError(.invalidRequest, "\(origin(key)): requires webhook, a URL"))
            }
            return nil
        }
        return kept(.webhook, &problems) { () throws(DownloadError) in
            try WebhookSettings(url: url, on: events, secretPath: path)
        }
    }

    private func text(_ key: ConfigurationKey) -> String? { reader.string(forKey: ConfigKey([key.rawValue])) }

    private func list(_ key: ConfigurationKey) -> [String]? { reader.stringArray(forKey: ConfigKey([key.rawValue])) }

    private func number(
        _ key: ConfigurationKey, _ range: ClosedRange<Int>, _ problems: inout [DownloadError]
    ) -> Int? {
        guard let text = text(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            problems.append(wrong(key, "a number from \(range.lowerBound) to \(range.upperBound)"))
            return nil
        }
        return number
    }

    private func flag(_ key: ConfigurationKey, _ problems: inout [DownloadError]) -> Bool? {
        guard let text = text(key) else { return nil }
        guard let flag = Bool(text) else {
            problems.append(wrong(key, "true or false"))
            return nil
        }
        return flag
    }

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: ConfigurationKey, _ type: Choice.Type, _ problems: inout [DownloadError]
    ) -> Choice? {
        guard let text = text(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            problems.append(wrong(key, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")))
            return nil
        }
        return choice
    }

    private func absolute(_ key: ConfigurationKey, _ problems: inout [DownloadError]) -> String? {
        guard let path = text(key) else { return nil }
        guard path.hasPrefix("/") else {
            problems.append(wrong(key, "an absolute path"))
            return nil
        }
        return path
    }

    private func wrong(_ key: ConfigurationKey, _ what: String) -> DownloadError {
        let found = text(key).map { ", found \"\(URLRedaction.quoted($0, width: 40))\"" } ?? ""
        return DownloadError(.invalidRequest, "\(origin(key)): expected \(what)\(found)")
    }

    /// Returns the origin of a value: an option, a variable, or a line of the file.
    func origin(_ key: ConfigurationKey) -> String {
        if flags.contains(key) { return key.option }
        if environment[key.variable] != nil { return key.variable }
        guard let line = file.lines[key] else { return key.rawValue }
        return place(line) + key.rawValue
    }

    func place(_ line: Int) -> String { "\(file.path.isEmpty ? "" : "\(file.path), ")line \(line): " }

    /// Returns what `read` returns; keeps its error, with the origin of the setting.
    private func kept<Value>(
        _ key: ConfigurationKey, _ problems: inout [DownloadError], _ read: () throws(DownloadError) -> Value
    ) -> Value? {
        do throws(DownloadError) {
            return try read()
        } catch {
            problems.append(DownloadError(error.code, "\(origin(key)): \(error.message)", cause: error.cause))
            return nil
        }
    }
}
