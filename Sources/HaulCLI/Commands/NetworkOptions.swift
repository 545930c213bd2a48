import ArgumentParser
import HaulCore

/// Who asks, and by which way.
///
/// No option takes a password: arguments can be read by everybody on the machine (proc(5)).
struct NetworkOptions: ParsableArguments {
    @Option(help: OptionHelp.user)
    var user: String?

    @Option(
        help: OptionHelp.passwordFile, completion: .file())
    var passwordFile: String?

    @Option(
        help: OptionHelp.bearerFile, completion: .file())
    var bearerFile: String?

    @Option(
        help: ArgumentHelp(
            "Authentication scheme: any (the best that the server offers), basic, digest, ntlm or negotiate.",
            valueName: "scheme"),
        completion: .list(AuthenticationScheme.allCases.map(\.rawValue)))
    var auth = "any"

    @Flag(help: "Look up credentials in ~/.netrc, or in the file named by NETRC.")
    var netrc = false

    @Option(help: ArgumentHelp("Look up credentials in this netrc file.", valueName: "file"), completion: .file())
    var netrcFile: String?

    @Option(
        help: ArgumentHelp("Send the cookies in this file (Netscape format).", valueName: "file"), completion: .file())
    var loadCookies: String?

    @Option(
        help: ArgumentHelp("Client certificate (PEM).", valueName: "file"),
        completion: .file())
    var clientCertificate: String?

    @Option(
        help: ArgumentHelp("Private key of the client certificate (PEM), if it is in another file.", valueName: "file"),
        completion: .file())
    var clientKey: String?

    @Option(
        help: OptionHelp.caCertificate,
        completion: .file())
    var caCertificate: String?

    @Flag(help: OptionHelp.insecure)
    var insecure = false

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
