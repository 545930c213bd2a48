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

    /// Reads the options into this plan and the spec of all downloads.
    mutating func read(
        _ options: NetworkOptions, list: String?, into spec: inout DownloadSpec, _ problems: inout InvalidOptions
    ) {
        readUser(options, into: &spec, &problems)
        (spec.cookiePath, spec.netrcPath) = (options.loadCookies, options.netrcFile)
        (spec.clientCertificatePath, spec.clientKeyPath) = (options.clientCertificate, options.clientKey)
        usesNetrc = options.netrc && options.netrcFile == nil
        (caCertificatePath, spec.insecure) = (options.caCertificate, options.insecure)
        (proxy, noProxy, proxyUserFile) = (options.proxy, options.noProxy, options.proxyUserFile)
        localAddress = options.ipv4 ? "0.0.0.0" : options.ipv6 ? "::" : options.interface
        if [options.ipv4, options.ipv6, options.interface != nil].count(where: { $0 }) > 1 {
            problems.add("--interface, -4 and -6 cannot be combined")
        }
        if options.clientKey != nil, options.clientCertificate == nil {
            problems.add("--client-key requires --client-certificate")
        }
        if let proxy, !proxy.isEmpty {
            _ = problems.read("--proxy") { () throws(DownloadError) in try ProxySettings(url: proxy) }
        }
        checkFiles(options, list: list, &problems)
    }

    private mutating func readUser(
        _ options: NetworkOptions, into spec: inout DownloadSpec, _ problems: inout InvalidOptions
    ) {
        (passwordFile, tokenFile) = (options.passwordFile, options.bearerFile)
        spec.user = options.user
        if let user = options.user, user.isEmpty || user.utf8.contains(UInt8(ascii: ":")) {
            problems.add("--user takes only a name, because other users can read arguments: use --password-file")
        }
        if options.passwordFile != nil, options.user == nil {
            problems.add("--password-file requires --user")
        }
        if options.bearerFile != nil, options.user != nil {
            problems.add("--bearer-file and --user cannot be combined")
        }
        let scheme = problems.read("--auth") { () throws(DownloadError) in
            try ChoiceArgument.parse(options.auth, as: AuthenticationScheme.self)
        }
        spec.authentication = scheme ?? .any
    }

    private func checkFiles(_ options: NetworkOptions, list: String?, _ problems: inout InvalidOptions) {
        let named = [
            ("--netrc-file", options.netrcFile), ("--load-cookies", options.loadCookies),
            ("--client-certificate", options.clientCertificate), ("--client-key", options.clientKey),
            ("--ca-certificate", options.caCertificate),
        ]
        for (option, path) in files + named where path == "" { problems.add("\(option) is empty: name a file") }
        let readers = (files + [("--input-file", list)]).filter { $0.path == "-" }.map(\.option)
        if readers.count > 1 {
            problems.add("standard input can be read only once, not for \(readers.joined(separator: " and "))")
        }
    }
}
