import ArgumentParser
import Haul
import HaulCore
import HaulServer
import Logging

/// The settings and the location of the daemon.
struct DaemonOptions: ParsableArguments {
    @Option(
        name: .customLong("root"),
        help: ArgumentHelp(
            "Folder that downloads may go to, the default one first (default: ~/Downloads); may be repeated.",
            valueName: "folder"), completion: .directory)
    var roots: [String] = []

    @Option(
        help: ArgumentHelp("TCP port to listen at, besides the Unix socket; 0 chooses a free one.", valueName: "number")
    )
    var port: String?

    @Option(
        help: ArgumentHelp(
            "Address for the port (default: 127.0.0.1); any other requires --allow-remote.", valueName: "address"))
    var address: String?

    @Flag(help: "Allow an address that other machines can reach; connections are not encrypted.")
    var allowRemote = false

    @Option(
        name: .customLong("host"),
        help: ArgumentHelp(
            "Further host name for browsers, such as that of a reverse proxy; may be repeated.", valueName: "name"))
    var hosts: [String] = []

    @Flag(help: "Allow clients over TCP to add sources at private addresses.")
    var privateAddresses = false

    @Option(help: OptionHelp.jobs(standard: "3"))
    var jobs: String?

    @Option(help: ArgumentHelp("Number of downloads from one host at a time (default: no limit).", valueName: "n"))
    var jobsPerHost: String?

    @Option(
        help: ArgumentHelp(
            "Which download starts first: fifo, the oldest (the default), or lifo, the newest.", valueName: "order"),
        completion: .list(QueueOrder.allCases.map(\.rawValue)))
    var order: String?

    @Option(
        help: OptionHelp.totalRate)
    var limitRate: String?

    @Option(
        help: ArgumentHelp("Resume downloads when the daemon starts (default: true).", valueName: "bool"),
        completion: .list(["true", "false"]))
    var resumeAtStart: String?

    @Option(
        help: ArgumentHelp(
            "Number of events to keep for clients that return (default: 1000000).", valueName: "number"))
    var keepEvents: String?

    @Option(
        help: ArgumentHelp(
            "Number of finished, failed and cancelled downloads to keep in the list (default: 1000000).",
            valueName: "number"))
    var keepHistory: String?

    @Flag(help: "Show a desktop notification when a download ends.")
    var notifications = false

    @Option(
        help: ArgumentHelp(
            "URL to notify of events. If it is secret, set it in the configuration file.", valueName: "url"))
    var webhook: String?

    @Option(
        help: ArgumentHelp(
            "Event to notify of: completed, failed (the defaults), added, started or idle; may be repeated.",
            valueName: "event"),
        completion: .list(HookEvent.allCases.map(\.rawValue)))
    var webhookOn: [String] = []

    @Option(
        help: ArgumentHelp("Sign webhook messages with the key in the first line of this file.", valueName: "file"),
        completion: .file())
    var webhookSecretFile: String?

    @Flag(help: "Allow pages of all sites, such as a hosted AriaNg, to call /jsonrpc with the token.")
    var rpcAllowOriginAll = false

    @Option(
        help: OptionHelp.caCertificate,
        completion: .file())
    var caCertificate: String?

    @Option(help: OptionHelp.proxy)
    var proxy: String?

    @Option(help: OptionHelp.noProxy)
    var noProxy: String?

    @Option(
        help: OptionHelp.logLevel(standard: "info"),
        completion: .list(Logger.Level.allCases.map(\.rawValue)))
    var logLevel: String?

    @Option(
        help: ArgumentHelp(
            "Log format: text, json, or journald (default: journald under systemd, otherwise text).",
            valueName: "format"),
        completion: .list(LogFormat.allCases.map(\.rawValue)))
    var logFormat: String?

    @OptionGroup var endpoint: DaemonEndpointOptions

    /// The options that were given.
    var flags: [ConfigurationKey: [String]] {
        let single: [(ConfigurationKey, String?)] = [
            (.port, port), (.address, address), (.jobs, jobs), (.jobsPerHost, jobsPerHost), (.order, order),
            (.limitRate, limitRate), (.resumeAtStart, resumeAtStart), (.keepEvents, keepEvents),
            (.keepHistory, keepHistory), (.webhook, webhook),
            (.webhookSecretFile, webhookSecretFile), (.caCertificate, caCertificate),
            (.proxy, proxy), (.noProxy, noProxy), (.logLevel, logLevel), (.logFormat, logFormat),
        ]
        var result = endpoint.flags
        for case (let key, let value?) in single { result[key] = [value] }
        if !roots.isEmpty { result[.roots] = roots }
        if !hosts.isEmpty { result[.hosts] = hosts }
        if !webhookOn.isEmpty { result[.webhookOn] = webhookOn }
        for (key, isSet) in [
            (ConfigurationKey.allowRemote, allowRemote), (.privateAddresses, privateAddresses),
            (.notifications, notifications), (.rpcAllowOriginAll, rpcAllowOriginAll),
        ] where isSet { result[key] = ["true"] }
        return result
    }
}
