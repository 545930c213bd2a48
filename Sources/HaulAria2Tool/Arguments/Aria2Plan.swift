package import Haul
package import HaulAria2
package import HaulCore

/// The task of one run of aria2c.
package struct Aria2Plan: Sendable {
    /// The options for all downloads; the command line overrides the configuration file.
    package var options: Aria2Options
    /// The URIs of the command line.
    package var uris: [String]
    /// The working directory of the process.
    package var folder: String
    /// Warnings about the configuration file.
    package var warnings: [String] = []

    /// Creates a plan.
    package init(options: Aria2Options, uris: [String], folder: String, warnings: [String] = []) {
        self.options = options
        self.uris = uris
        self.folder = folder
        self.warnings = warnings
    }

    /// Returns the URIs of each download on the command line: all are sources of one file, unless the options make them
    /// separate files.
    package func downloads() throws(Aria2Failure) -> [[String]] {
        guard options.isSet("force-sequential") else { return uris.isEmpty ? [] : [uris] }
        guard options.isSet("parameterized-uri") else { return uris.map { [$0] } }
        let expanded = uris.map(URIPattern.expand)
        guard !expanded.contains(nil) else { throw .option("parameterized-uri") }
        return expanded.flatMap { $0 ?? [] }.map { [$0] }
    }

    /// True if nothing is requested.
    package var isEmpty: Bool {
        uris.isEmpty && options["input-file"] == nil && options["metalink-file"] == nil && !options.isSet("enable-rpc")
    }

    /// The reason why the request cannot be fulfilled, in one line; nil if it can.
    package var problem: String? {
        isEmpty ? "Specify at least one URL." : nil
    }

    /// True if the server accepts connections from other machines: these need a secret.
    package var listensEverywhere: Bool { options.isSet("rpc-listen-all") && hasSecret }

    private var hasSecret: Bool { options["rpc-secret"]?.isEmpty == false }

    /// The warning that other machines cannot connect although that was requested; nil if there is no reason for it.
    package var listeningWarning: String? {
        guard options.isSet("enable-rpc"), options.isSet("rpc-listen-all"), !hasSecret else { return nil }
        return "--rpc-listen-all has no effect without --rpc-secret: only programs on this machine can connect"
    }

    /// The message about options that were given and have no effect; nil if there are none.
    package var idleOptions: String? {
        let names = options.filter(\.isIdle).names.map { "--\($0)" }
        guard !names.isEmpty else { return nil }
        let more = names.count > Self.maxNamed ? " and \(names.count - Self.maxNamed) more" : ""
        return "Options without effect: \(names.prefix(Self.maxNamed).joined(separator: ", "))\(more)"
    }

    private static let maxNamed = 8

    /// Returns the configuration of the manager.
    package func configuration(environment: [String: String]) throws(DownloadError) -> ManagerConfiguration {
        var configuration = ManagerConfiguration(storage: .inMemory)
        configuration.name = "aria2c"
        configuration.waitsForSpace = false
        configuration.waitsForNetwork = false
        configuration.retriesUnreachable = false
        configuration.settings.limit = Int(min(options.number("max-concurrent-downloads"), Int64(Int32.max)))
        let rate = options.number("max-overall-download-limit")
        configuration.settings.rateLimit = rate > 0 ? rate : nil
        configuration.settings.hooks = try hooks()
        // Each is started.
        configuration.hookGrace = .seconds(1_000_000)
        configuration.caCertificatePath = options["ca-certificate"] ?? UsualCertificates.path(in: environment)
        configuration.localAddress = options["interface"] ?? (options.isSet("disable-ipv6") ? "0.0.0.0" : nil)
        configuration.proxies = try proxies(environment)
        return configuration
    }

    /// Returns the hooks, which get aria2's arguments: GID, number of files, path.
    ///
    /// No shell interprets them as commands. Their output goes where that of the program goes. They may take as long as they
    /// like, as in aria2, also beyond the end of this process.
    private func hooks() throws(DownloadError) -> [HookCommand] {
        var hooks: [HookCommand] = []
        for event in [HookEvent.started, .completed, .failed] {
            guard let path = hookProgram(for: event) else { continue }
            // A missing program is reported by the run, so the shell must not report it as well.
            let script = #"command -v "$0" > /dev/null || exit 127; exec "$0" "${HAUL_KEY#aria2:}" 1 "$HAUL_PATH""#
            var hook = try HookCommand(
                on: [event], arguments: ["/bin/sh", "-c", script, path], timeout: .seconds(1_000_000_000))
            hook.inheritsOutput = true
            // The next one is started while this one runs; in between, the order is kept.
            hook.patience = .milliseconds(10)
            hooks.append(hook)
        }
        return hooks
    }

    /// Returns the program that is run on an event, or nil.
    ///
    /// `--on-download-stop` only applies to ends that have no hook of their own (aria2(1)).
    package func hookProgram(for event: HookEvent) -> String? {
        let own: String? =
            switch event {
            case .started: "on-download-start"
            case .completed: "on-download-complete"
            case .failed: "on-download-error"
            case .added, .idle: nil
            }
        guard let own else { return nil }
        let set = (event == .started ? [own] : [own, "on-download-stop"]).lazy.compactMap { options[$0] }
        guard let program = set.first(where: { !$0.isEmpty }) else { return nil }
        return program.contains("/") && !program.hasPrefix("/") ? "\(folder)/\(program)" : program
    }

    /// Returns the proxy settings.
    ///
    /// A proxy on the command line overrides all of the environment; without one, those of the environment are used.
    private func proxies(_ environment: [String: String]) throws(DownloadError) -> ProxySettings {
        var variables = environment
        let schemes = ["http", "https", "ftp"]
        if let all = options["all-proxy"] {
            for scheme in schemes + ["all", "ftps"] {
                variables[scheme + "_proxy"] = nil
                variables[scheme.uppercased() + "_PROXY"] = nil
            }
            variables["all_proxy"] = all
        }
        for scheme in schemes { if let proxy = options["\(scheme)-proxy"] { variables["\(scheme)_proxy"] = proxy } }
        if let exempt = options["no-proxy"] { variables["no_proxy"] = exempt }
        var settings = try ProxySettings(environment: variables)
        for name in ["all", "https", "http", "ftp"] {
            guard let user = options["\(name)-proxy-user"] else { continue }
            settings.setCredentials(user: user, password: options["\(name)-proxy-passwd"] ?? "")
            break
        }
        return settings
    }

    /// Returns the settings of every download that clients cannot change.
    package func template(netrc: String?) -> DownloadSpec {
        var spec = DownloadSpec(url: "", destination: .folder(path: folder))
        spec.insecure = !options.isSet("check-certificate")
        spec.cookiePath = options["load-cookies"]
        spec.clientCertificatePath = options["certificate"]
        spec.clientKeyPath = options["private-key"]
        spec.netrcPath = options.isSet("no-netrc") ? nil : options["netrc-path"] ?? netrc
        spec.connections = .automatic(limit: 6)
        // Nobody waits for a server process, which can wait for as long as servers ask.
        if !options.isSet("enable-rpc") { spec.maxWait = .seconds(60) }
        return spec
    }

    /// Returns the configuration of the interface.
    ///
    /// Without a secret any user of the machine can call, so nothing is saved outside of the chosen folder.
    package func interface(netrc: String?) -> Aria2Configuration {
        let chosen = options["dir"].map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" } ?? folder
        let secret = options["rpc-secret"].flatMap { $0.isEmpty ? nil : $0 }
        var result = Aria2Configuration(
            roots: Aria2Roots(folder: folder, roots: secret == nil ? [chosen] : nil))
        result.secret = secret
        result.options = options.filter { !Self.single.contains($0.name) }
        result.template = template(netrc: netrc)
        result.notifiesStrangers = true
        // As in aria2, `pause` only applies with `enable-rpc`.
        result.allowsPause = options.isSet("enable-rpc")
        result.maxBytes = Int(min(max(1024, options.number("rpc-max-request-size")), 64 << 20))
        return result
    }

    /// The options that are for a single download: they apply if the command line specifies just one.
    package var own: Aria2Options { options.filter { Self.single.contains($0.name) } }

    private static let single: Set<String> = ["out", "gid"]

    /// The access rules.
    package var access: Aria2Access {
        Aria2Access(
            allowsAllOrigins: options.isSet("rpc-allow-origin-all"), hasSecret: hasSecret,
            listensEverywhere: listensEverywhere)
    }
}
