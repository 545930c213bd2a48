package import HaulCore
import HaulOptions

/// Converts aria2's options to a spec, one group of them at a time.
///
/// Everything that is not given remains unchanged in the spec: it is Haul's own default in a new one.
package struct Aria2Spec: Sendable {
    /// The folders that downloads may be saved to.
    let roots: Aria2Roots
    /// The effective options: those of the download, otherwise those for all.
    let options: Aria2Options

    /// Creates a converter for one download.
    package init(roots: Aria2Roots, options: Aria2Options) {
        self.roots = roots
        self.options = options
    }

    /// Applies the options with these names to a spec.
    ///
    /// - Throws: `Aria2Failure` that names an option that cannot be applied.
    package func apply(_ names: Set<String>, to spec: inout DownloadSpec) throws(Aria2Failure) {
        if !names.isDisjoint(with: Self.place) { spec.destination = try destination() }
        if !names.isDisjoint(with: Self.conflict) {
            (spec.onConflict, spec.adoptsPartials) = (policy, options.isSet("continue"))
            // Without `continue`, aria2 resumes its own unfinished files.
            spec.tuning.adoptsControlled = options.isSet("continue") ? nil : true
            spec.resumes = options.isSet("continue") || !options.isSet("remove-control-file")
        }
        if !names.isDisjoint(with: ["split", "max-connection-per-server"]) {
            spec.connections = connections(sources: 1 + spec.mirrors.count)
        }
        for name in names.sorted() {
            // Those that together determine the handling of an existing file are not among them.
            guard !Self.conflict.contains(name), let read = OptionTable.aria2(name)?.read,
                let text = options.effective(name)
            else { continue }
            do throws(DownloadError) { try read(text, &spec) } catch { throw .option(name) }
        }
        if names.contains("uri-selector") { spec.mirrors = ranked(spec.mirrors) }
        applyTuning(names, to: &spec)
        try applyHeaders(names, to: &spec)
        applyUser(names, to: &spec)
    }

    /// Returns the mirrors with priorities.
    ///
    /// With `inorder` each source has a priority of its own, otherwise the fastest one is used.
    func ranked(_ mirrors: [DownloadSpec.Mirror]) -> [DownloadSpec.Mirror] {
        let isInOrder = options.effective("uri-selector") == "inorder"
        return mirrors.enumerated().map { index, mirror in
            var mirror = mirror
            mirror.priority = isInOrder ? index + 2 : 1
            return mirror
        }
    }

    /// Applies the options that only aria2 has.
    private func applyTuning(_ names: Set<String>, to spec: inout DownloadSpec) {
        func number(_ name: String) -> Int64? { options.number(name) > 0 ? options.number(name) : nil }
        if names.contains("retry-wait") { spec.tuning.retryWait = number("retry-wait").map { .seconds($0) } }
        if names.contains("max-file-not-found") {
            spec.tuning.notFoundRetries = number("max-file-not-found").map { Int(min($0, 1_000_000)) - 1 }
        }
        if names.contains("lowest-speed-limit") {
            let limit = number("lowest-speed-limit")
            spec.minSpeed = limit.map { MinimumSpeed(bytesPerSecond: $0, seconds: Self.slowSeconds) }
            spec.tuning.failsWhenSlow = limit.map { _ in true }
        }
        if names.contains("always-resume") { spec.tuning.neverStartsOver = options.isSet("always-resume") ? true : nil }
        if names.contains("min-split-size") { spec.tuning.smallestPart = number("min-split-size") }
        if !names.isDisjoint(with: ["file-allocation", "no-file-allocation-limit"]) {
            let isNone = ["none", "trunc"].contains(options.effective("file-allocation"))
            spec.tuning.allocatesFrom = isNone ? .max : number("no-file-allocation-limit")
        }
        if names.contains("remote-time") { spec.tuning.ignoresServerDate = options.isSet("remote-time") ? nil : true }
    }

    /// aria2 checks the speed after the first 10 s.
    private static let slowSeconds = 10.0

    /// The options whose defaults apply to every download that is added.
    static let standing: Set<String> = ["timeout", "connect-timeout", "max-tries", "remote-time"]

    /// The options that determine the path of the file.
    static let place: Set<String> = ["dir", "out"]

    /// The options that together determine the handling of an existing file.
    static let conflict: Set<String> = [
        "continue", "allow-overwrite", "auto-file-renaming", "conditional-get", "remove-control-file",
    ]

    /// Returns the destination of the file.
    package func destination() throws(Aria2Failure) -> Destination {
        guard let out = options["out"] else { return .folder(path: try roots.dir(options["dir"])) }
        return .file(path: try roots.file(out, dir: options["dir"]))
    }

    /// The policy for an existing file.
    ///
    /// With `continue`, a complete file is left alone, as in aria2, and an incomplete one is continued.
    private var policy: ConflictPolicy {
        if options.isSet("continue") { return .keep }
        if options.isSet("allow-overwrite") { return options.isSet("conditional-get") ? .keep : .replace }
        return options.isSet("auto-file-renaming") ? .rename : .fail
    }

    /// Returns the connection limit.
    ///
    /// aria2 uses the smaller one of `split` and the connections to all servers together; with `split` alone Haul
    /// determines the number itself.
    private func connections(sources: Int) -> ConnectionLimit {
        let split = min(max(1, options.number("split")), Self.maxConnections)
        guard options["max-connection-per-server"] != nil else { return .automatic(limit: Int(split)) }
        let servers = options.number("max-connection-per-server") * Int64(min(max(1, sources), 64))
        return .fixed(Int(min(split, max(1, servers))))
    }

    private static let maxConnections: Int64 = 64

    private func applyHeaders(_ names: Set<String>, to spec: inout DownloadSpec) throws(Aria2Failure) {
        if names.contains("header") {
            spec.headers.removeAll { $0.name.lowercased() != "user-agent" }
            for line in options.list("header") { spec.headers.append(try Self.header(line)) }
        }
        if names.contains("user-agent"), let agent = options["user-agent"] {
            try Self.check(agent, of: "User-Agent")
            set("User-Agent", agent, in: &spec)
        }
        // Given headers replace those of `http-no-cache` as well.
        if !names.isDisjoint(with: ["header", "http-no-cache"]), options.isSet("http-no-cache") {
            set("Cache-Control", "no-cache", in: &spec)
            set("Pragma", "no-cache", in: &spec)
        }
    }

    private func set(_ name: String, _ value: String, in spec: inout DownloadSpec) {
        spec.headers.removeAll { $0.name.lowercased() == name.lowercased() }
        if !value.isEmpty { spec.headers.append(DownloadSpec.Header(name: name, value: value)) }
    }

    /// Parses a header line: its name is the part before the first colon (RFC 9112, section 5).
    private static func header(_ line: String) throws(Aria2Failure) -> DownloadSpec.Header {
        let bytes = line.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex else {
            throw .option("header")
        }
        // Blanks at both ends are not part of the value (RFC 9110, section 5.5), and a session would lose them.
        let header = DownloadSpec.Header(
            name: String(decoding: bytes[..<colon], as: UTF8.self),
            value: String(decoding: bytes[bytes.index(after: colon)...], as: UTF8.self).trimmingBlanks)
        if let refusal = header.refusal { throw .refused("\(refusal).") }
        try check(header.value, of: header.name)
        return header
    }

    /// Refuses the value of a header that is not valid in HTTP (RFC 9110, section 5.5).
    private static func check(_ value: String, of name: String) throws(Aria2Failure) {
        guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            throw .refused("The value of the header \(TerminalText.printable(name)) has a control character.")
        }
    }

    private func applyUser(_ names: Set<String>, to spec: inout DownloadSpec) {
        let scheme = spec.url.lowercased().hasPrefix("http") ? "http" : "ftp"
        guard !names.isDisjoint(with: ["\(scheme)-user", "\(scheme)-passwd", "http-auth-challenge"]) else { return }
        // aria2 sends the password at once by default.
        spec.authentication = options.isSet("http-auth-challenge") ? .any : .basic
        guard let user = options["\(scheme)-user"], !user.isEmpty else {
            (spec.user, spec.password) = (nil, nil)
            return
        }
        // Reported options have no password: one that is not given remains.
        if spec.user == nil || names.contains("\(scheme)-passwd") {
            spec.password = .text(options["\(scheme)-passwd"] ?? "")
        }
        spec.user = user
    }
}
