import Haul
package import HaulCore

/// Where secrets and the settings of the environment come from: the world, or a stand-in of a test.
package struct SecretInput: Sendable {
    /// A variable of the environment.
    package var variable: @Sendable (String) -> String?
    /// The first line of a file, `-` for standard input; the second is what it is, for messages.
    package var line: @Sendable (_ path: String, _ what: String) throws(DownloadError) -> String
    /// What a person at the terminal answers, unseen.
    package var ask: @Sendable (_ prompt: String) throws(DownloadError) -> String

    /// Those of this process.
    package static let process = SecretInput(
        variable: { TerminalEnvironment.process.variable($0) },
        line: { (path, what) throws(DownloadError) in try SmallFile.line(path, what) },
        ask: { (prompt) throws(DownloadError) in try SecretPrompt.ask(prompt) })

    /// Makes an input of functions.
    package init(
        variable: @escaping @Sendable (String) -> String?,
        line: @escaping @Sendable (String, String) throws(DownloadError) -> String,
        ask: @escaping @Sendable (String) throws(DownloadError) -> String
    ) {
        self.variable = variable
        self.line = line
        self.ask = ask
    }
}

extension GetPlan {
    /// Reads what its options only name: passwords, tokens, and the proxies of the environment.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where something can't be read, or is no proxy.
    package mutating func readSecrets(_ input: SecretInput) throws(DownloadError) {
        if let path = network.tokenFile { template.bearerToken = .text(try input.line(path, "the file of the token")) }
        if let user = template.user {
            template.password = .text(try Self.password(of: user, network.passwordFile, template.authentication, input))
        }
        if network.usesNetrc {
            let home = input.variable("HOME") ?? ""
            template.netrcPath = input.variable("NETRC").flatMap { $0.isEmpty ? nil : $0 } ?? home + "/.netrc"
        }
        proxies = try settings(input)
    }

    private static func password(
        of user: String, _ file: String?, _ scheme: AuthenticationScheme, _ input: SecretInput
    ) throws(DownloadError) -> String {
        if let file { return try input.line(file, "the file of the password") }
        return try input.ask("Password for \(TerminalText.printable(user)): ")
    }

    private func settings(_ input: SecretInput) throws(DownloadError) -> ProxySettings {
        var settings: ProxySettings
        switch network.proxy {
        case nil: settings = try ProxySettings(environment: Self.environment(input))
        case "": settings = ProxySettings()
        case let url?:
            let names = ["no_proxy", "NO_PROXY"]
            let list = names.compactMap(input.variable).first { !$0.isEmpty }
            settings = try ProxySettings(url: url, noProxy: list ?? "")
        }
        if let list = network.noProxy { settings.setNoProxy(list) }
        guard let path = network.proxyUserFile else { return settings }
        let line = try input.line(path, "the file of the proxy's user")
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw DownloadError(.invalidRequest, "--proxy-user-file: there is no colon in it: write NAME:PASSWORD")
        }
        settings.setCredentials(user: String(line[..<colon]), password: String(line[colon...].dropFirst()))
        return settings
    }

    /// Only what is asked for is looked up.
    private static func environment(_ input: SecretInput) -> [String: String] {
        let names = ["http_proxy", "https_proxy", "ftp_proxy", "ftps_proxy", "all_proxy", "no_proxy"]
        var found: [String: String] = [:]
        for name in names + names.map({ $0.uppercased() }) { found[name] = input.variable(name) }
        return found
    }
}
