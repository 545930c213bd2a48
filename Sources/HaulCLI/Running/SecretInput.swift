import Haul
package import HaulCore

/// The source of secrets and of environment settings: the process, or a test's replacement.
package struct SecretInput: Sendable {
    /// Returns the value of an environment variable.
    package var variable: @Sendable (String) -> String?
    /// Returns the first line of a file, or of standard input for `-`; `what` names its content in messages.
    package var line: @Sendable (_ path: String, _ what: String) throws(DownloadError) -> String
    /// Asks the user at the terminal, without echo.
    package var ask: @Sendable (_ prompt: String) throws(DownloadError) -> String
    /// Returns the system's reason why a file cannot be read; nil if it can.
    package var unreadable: @Sendable (_ path: String) -> String?

    /// The input of this process.
    package static let process = SecretInput(
        variable: { TerminalEnvironment.process.variable($0) },
        line: { (path, what) throws(DownloadError) in try SmallFile.line(path, what) },
        ask: { (prompt) throws(DownloadError) in try SecretPrompt.ask(prompt) },
        unreadable: OutputFile.unreadable)

    /// Makes an input from functions.
    package init(
        variable: @escaping @Sendable (String) -> String?,
        line: @escaping @Sendable (String, String) throws(DownloadError) -> String,
        ask: @escaping @Sendable (String) throws(DownloadError) -> String,
        unreadable: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        self.variable = variable
        self.line = line
        self.ask = ask
        self.unreadable = unreadable
    }
}

extension EngineConfiguration {
    /// Takes the network settings of a plan.
    mutating func take(_ network: NetworkPlan, _ proxies: ProxySettings, _ input: SecretInput) {
        caCertificatePath = network.caCertificatePath ?? NetworkPlan.usualCertificates(input)
        localAddress = network.localAddress
        self.proxies = proxies
    }
}

extension GetPlan {
    /// Reads the secrets that the options name (see `NetworkPlan.readSecrets`).
    package mutating func readSecrets(_ input: SecretInput) throws(DownloadError) {
        proxies = try network.readSecrets(input, into: &template)
    }
}

extension NetworkPlan {
    /// Reads the secrets that the options name, passwords and tokens into the spec of all downloads.
    ///
    /// - Returns: The proxies, including those of the environment.
    /// - Throws: `DownloadError` with code `invalidRequest` if something cannot be read, or is not a valid proxy.
    package func readSecrets(
        _ input: SecretInput, into spec: inout DownloadSpec
    ) throws(DownloadError) -> ProxySettings {
        for (option, path) in files + Self.files(of: spec) + [("--ca-certificate", caCertificatePath)] {
            guard let path, path != "-", let reason = input.unreadable(path) else { continue }
            throw DownloadError(.invalidRequest, "\(option) \(path): \(reason)")
        }
        if let tokenFile { spec.bearerToken = .text(try input.line(tokenFile, "the token file")) }
        if let user = spec.user {
            spec.password = .text(try password(of: user, input))
        }
        if usesNetrc {
            let home = input.variable("HOME") ?? ""
            spec.netrcPath = input.variable("NETRC").flatMap { $0.isEmpty ? nil : $0 } ?? home + "/.netrc"
        }
        return try settings(input)
    }

    /// Makes the engine; errors about the certificates name their option.
    func engine(_ configuration: EngineConfiguration) throws(DownloadError) -> DownloadEngine {
        do throws(DownloadError) {
            return try DownloadEngine(configuration)
        } catch {
            guard error.code == .invalidRequest else { throw error }
            let name = caCertificatePath == nil ? UsualCertificates.variable : "--ca-certificate"
            throw DownloadError(error.code, "\(name): \(error.message)", cause: error.cause)
        }
    }

    /// Returns the file of trusted certificates that the environment names, as for other programs that use OpenSSL; nil
    /// if it can't be read.
    static func usualCertificates(_ input: SecretInput) -> String? {
        guard let path = input.variable(UsualCertificates.variable), !path.isEmpty, input.unreadable(path) == nil else {
            return nil
        }
        return path
    }

    /// The files that each download reads, with their options.
    static func files(of spec: DownloadSpec) -> [(option: String, path: String?)] {
        [
            ("--netrc-file", spec.netrcPath), ("--load-cookies", spec.cookiePath),
            ("--client-certificate", spec.clientCertificatePath), ("--client-key", spec.clientKeyPath),
        ]
    }

    private func password(of user: String, _ input: SecretInput) throws(DownloadError) -> String {
        if let passwordFile { return try input.line(passwordFile, "the password file") }
        return try input.ask("Password for \(TerminalText.printable(user)): ")
    }

    private func settings(_ input: SecretInput) throws(DownloadError) -> ProxySettings {
        var settings: ProxySettings
        switch proxy {
        case nil: settings = try ProxySettings(environment: Self.environment(input))
        case "": settings = ProxySettings()
        case let url?:
            let names = ["no_proxy", "NO_PROXY"]
            let list = names.compactMap(input.variable).first { !$0.isEmpty }
            settings = try ProxySettings(url: url, noProxy: list ?? "")
        }
        if let noProxy { settings.setNoProxy(noProxy) }
        guard let proxyUserFile else { return settings }
        let line = try input.line(proxyUserFile, "the proxy user file")
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw DownloadError(.invalidRequest, "--proxy-user-file: expected NAME:PASSWORD")
        }
        settings.setCredentials(user: String(line[..<colon]), password: String(line[colon...].dropFirst()))
        return settings
    }

    /// Returns the variables that concern proxies; no others are read.
    private static func environment(_ input: SecretInput) -> [String: String] {
        let names = ["http_proxy", "https_proxy", "ftp_proxy", "ftps_proxy", "all_proxy", "no_proxy"]
        var found: [String: String] = [:]
        for name in names + names.map({ $0.uppercased() }) { found[name] = input.variable(name) }
        return found
    }
}
