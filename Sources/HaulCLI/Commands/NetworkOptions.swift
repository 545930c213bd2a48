import ArgumentParser

/// The ways to the servers.
struct NetworkOptions: ParsableArguments {
    @Flag(help: "Look up credentials in ~/.netrc, or in the file named by NETRC.")
    var netrc = false

    @Option(
        help: OptionHelp.caCertificate,
        completion: .file())
    var caCertificate: String?

    @Option(
        help: OptionHelp.proxy)
    var proxy: String?

    @Option(help: OptionHelp.noProxy)
    var noProxy: String?

    @Option(
        help: ArgumentHelp("Read NAME:PASSWORD for the proxy from this file; - is standard input.", valueName: "file"),
        completion: .file())
    var proxyUserFile: String?

    @Option(help: ArgumentHelp("Connect from this network interface or local address.", valueName: "name"))
    var interface: String?

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Use IPv4 only.")
    var ipv4 = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Use IPv6 only.")
    var ipv6 = false
}

/// The configuration file.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read options from this file (default: ~/.config/haul/config.toml).", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(help: "Read no configuration file.")
    var noConfig = false
}
