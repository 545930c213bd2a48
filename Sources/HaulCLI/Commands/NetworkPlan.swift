import HaulCore

/// What the options say of secrets and ways, before anything is read.
package struct NetworkPlan: Hashable, Sendable {
    /// The file of the password; `-` for standard input.
    package var passwordFile: String?
    /// The file of the token.
    package var tokenFile: String?
    /// Whether `.netrc` is used, wherever it is.
    package var usesNetrc = false
    /// The proxy instead of the environment's; empty: none.
    package var proxy: String?
    /// The hosts without a proxy instead of the environment's.
    package var noProxy: String?
    /// The file of the proxy's user name and password.
    package var proxyUserFile: String?
    /// Certificates trusted instead of the system's, or nil.
    package var caCertificatePath: String?
    /// Where connections are made from.
    package var localAddress: String?

    /// Makes a plan that needs nothing.
    package init() {}

    /// The files that are read, with their options.
    var files: [(option: String, path: String?)] {
        [("--password-file", passwordFile), ("--bearer-file", tokenFile), ("--proxy-user-file", proxyUserFile)]
    }

    /// Reads the ways to the servers.
    mutating func readWays(_ options: OptionLayer, _ spec: DownloadSpec, _ problems: inout InvalidOptions) {
        usesNetrc = options.contains("netrc") && spec.local.netrcPath == nil
        caCertificatePath = options.text("ca-certificate")
        (proxy, noProxy) = (options.text("proxy"), options.text("no-proxy"))
        proxyUserFile = options.text("proxy-user-file")
        let (isIPv4, isIPv6) = (options.contains("ipv4"), options.contains("ipv6"))
        localAddress = isIPv4 ? "0.0.0.0" : isIPv6 ? "::" : options.text("interface")
        if [isIPv4, isIPv6, options.contains("interface")].count(where: { $0 }) > 1 {
            problems.add("--interface, -4 and -6 cannot be combined")
        }
        if let proxy, !proxy.isEmpty {
            _ = problems.read("--proxy") { () throws(DownloadError) in try ProxySettings(url: proxy) }
        }
    }

    /// Reads the files of credentials, after the ways to the servers, and checks them together with a spec.
    mutating func readCredentials(
        _ options: OptionLayer, list: String?, spec: DownloadSpec, _ problems: inout InvalidOptions
    ) {
        (passwordFile, tokenFile) = (options.text("password-file"), options.text("bearer-file"))
        if passwordFile != nil, spec.access.user == nil {
            problems.add("--password-file requires --user")
        }
        if tokenFile != nil, spec.access.user != nil {
            problems.add("--bearer-file and --user cannot be combined")
        }
        if spec.local.clientKeyPath != nil, spec.local.clientCertificatePath == nil {
            problems.add("--client-key requires --client-certificate")
        }
        for (option, path) in files + [("--ca-certificate", caCertificatePath)] where path == "" {
            problems.add("\(option) is empty: name a file")
        }
        let readers = (files + [("--input-file", list)]).filter { $0.path == "-" }.map(\.option)
        if readers.count > 1 {
            problems.add("standard input can be read only once, not for \(readers.joined(separator: " and "))")
        }
    }
}
