import ArgumentParser
import HaulCore

/// Who asks, and by which way.
///
/// No option takes a password: arguments can be read by everybody on the machine (proc(5)).
struct NetworkOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The user name for the URL's own origin.", valueName: "name"))
    var user: String?

    @Option(
        help: ArgumentHelp(
            "A file with the password in its first line, - for standard input; without it a terminal is asked.",
            valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(
        help: ArgumentHelp("A file with a bearer token, - for standard input.", valueName: "file"), completion: .file())
    var bearerFile: String?

    @Option(
        help: ArgumentHelp(
            "How to log in: any (the best that the server offers), basic, digest, ntlm or negotiate.",
            valueName: "scheme"),
        completion: .list(AuthenticationScheme.allCases.map(\.rawValue)))
    var auth = "any"

    @Flag(help: "Look users and passwords up in ~/.netrc, or in the file that NETRC names.")
    var netrc = false

    @Option(help: ArgumentHelp("Look users and passwords up in this file.", valueName: "file"), completion: .file())
    var netrcFile: String?

    @Option(
        help: ArgumentHelp("Send the cookies in this file (Netscape's form).", valueName: "file"), completion: .file())
    var loadCookies: String?

    @Option(
        help: ArgumentHelp("Show the certificate in this PEM file to a server that asks.", valueName: "file"),
        completion: .file())
    var clientCertificate: String?

    @Option(
        help: ArgumentHelp("Its private key, where that is in another PEM file.", valueName: "file"),
        completion: .file())
    var clientKey: String?

    @Option(
        help: ArgumentHelp("Trust the certificates in this PEM file instead of the system's.", valueName: "file"),
        completion: .file())
    var caCertificate: String?

    @Flag(help: "Accept any certificate. Shown with the download.")
    var insecure = false

    @Option(
        help: ArgumentHelp(
            "Go through this proxy instead of those in the environment; an empty one is none.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("Hosts to ask without a proxy, such as localhost,10.0.0.0/8.", valueName: "list"))
    var noProxy: String?

    @Option(
        help: ArgumentHelp("A file with NAME:PASSWORD for the proxy, - for standard input.", valueName: "file"),
        completion: .file())
    var proxyUserFile: String?

    @Option(help: ArgumentHelp("Connect from this network interface or address.", valueName: "name"))
    var interface: String?

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Use IPv4 only.")
    var ipv4 = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Use IPv6 only.")
    var ipv6 = false
}
