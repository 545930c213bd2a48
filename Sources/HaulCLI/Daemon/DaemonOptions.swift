import ArgumentParser
import Haul
import HaulCore
import HaulServer
import Logging

/// The settings of the daemon, and where it is.
struct DaemonOptions: ParsableArguments {
    @Option(
        name: .customLong("root"),
        help: ArgumentHelp(
            "A folder that downloads may go to, the usual one first (~/Downloads); again for more.", valueName: "folder"
        ), completion: .directory)
    var roots: [String] = []

    @Option(help: ArgumentHelp("Serve this TCP port, too; 0: any that is free.", valueName: "number"))
    var port: String?

    @Option(help: ArgumentHelp("The address for the port (127.0.0.1).", valueName: "address"))
    var address: String?

    @Flag(help: "Mean it that the address can be reached from other machines.")
    var allowRemote = false

    @Option(
        name: .customLong("host"),
        help: ArgumentHelp("A further name by which browsers may call it; again for more.", valueName: "name"))
    var hosts: [String] = []

    @Flag(help: "Let callers over TCP add sources at private addresses, too.")
    var privateAddresses = false

    @Option(help: ArgumentHelp("Downloads at a time (3).", valueName: "n"))
    var jobs: String?

    @Option(help: ArgumentHelp("Downloads of one host at a time.", valueName: "n"))
    var jobsPerHost: String?

    @Option(
        help: ArgumentHelp("Which of those that wait comes first: fifo (the default) or lifo.", valueName: "order"),
        completion: .list(QueueOrder.allCases.map(\.rawValue)))
    var order: String?

    @Option(
        help: ArgumentHelp(
            "Bytes per second over all downloads: 500K, 2M, or \"22:00-06:00 unlimited, else 2M\".", valueName: "rate"))
    var limitRate: String?

    @Option(
        help: ArgumentHelp("Whether downloads go on by themselves after a start (true).", valueName: "bool"),
        completion: .list(["true", "false"]))
    var resumeAtStart: String?

    @Flag(help: "Tell the desktop of downloads that have ended.")
    var notifications = false

    @Option(
        help: ArgumentHelp(
            "Post what happens to downloads to this URL; one that is secret belongs into the file.", valueName: "url"))
    var webhook: String?

    @Option(
        help: ArgumentHelp("On what, as hooks have it (completed, failed); again for more.", valueName: "occasion"),
        completion: .list(HookEvent.allCases.map(\.rawValue)))
    var webhookOn: [String] = []

    @Option(
        help: ArgumentHelp("Sign what is posted by the first line of this file.", valueName: "file"),
        completion: .file())
    var webhookSecretFile: String?

    @Flag(help: "Let pages of all sites call /jsonrpc with the token, as a hosted AriaNg.")
    var rpcAllowOriginAll = false

    @Option(
        help: ArgumentHelp("Trust these certificates (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var caCertificate: String?

    @Option(help: ArgumentHelp("The proxy instead of the environment's; empty: none.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("The hosts without a proxy instead of the environment's.", valueName: "list"))
    var noProxy: String?

    @Option(
        help: ArgumentHelp("Log from this level (info).", valueName: "level"),
        completion: .list(Logger.Level.allCases.map(\.rawValue)))
    var logLevel: String?

    @Option(
        help: ArgumentHelp(
            "Log as text, json, or journald with priorities (journald under systemd, else text).", valueName: "format"),
        completion: .list(LogFormat.allCases.map(\.rawValue)))
    var logFormat: String?

    @OptionGroup var endpoint: DaemonEndpointOptions

    /// The options that were given.
    var flags: [ConfigurationKey: [String]] {
        let single: [(ConfigurationKey, String?)] = [
            (.port, port), (.address, address), (.jobs, jobs), (.jobsPerHost, jobsPerHost), (.order, order),
            (.limitRate, limitRate), (.resumeAtStart, resumeAtStart), (.webhook, webhook),
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
