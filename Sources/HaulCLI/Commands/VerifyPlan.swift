package import HaulCore
import HaulOptions

/// What `haul verify` is to do: its options, all of them checked.
package struct VerifyPlan: Hashable, Sendable {
    /// What files are compared with.
    package enum Standard: Hashable, Sendable {
        /// A checksum that was given.
        case checksum(Checksum)
        /// A list of checksums, at this path.
        case list(String)
        /// What the source of this spec says.
        case source(DownloadSpec)
        /// What stands beside each file.
        case siblings
    }

    /// The files, as they were named; none: all that the list names.
    package var files: [String]
    /// What they are compared with.
    package var standard: Standard
    /// Whether listed files that do not exist are skipped.
    package var ignoresMissing = false
    /// What the options say of secrets and ways to the source.
    package var network = NetworkPlan()
    /// Whether only errors are shown.
    package var quiet: Bool
    /// Whether results go to standard output as JSON.
    package var json: Bool
}

extension VerifyPlan {
    /// Checks the options of a command.
    ///
    /// - Throws: `InvalidOptions` with one line for each that can't be used.
    init(_ command: VerifyCommand) throws(InvalidOptions) {
        var problems = InvalidOptions()
        files = command.files
        quiet = command.quiet
        json = command.json
        ignoresMissing = command.ignoreMissing
        standard = .siblings
        if let list = command.checksums.last { standard = .list(list) }
        if let text = command.checksum.last {
            let checksum = problems.read("--checksum") { () throws(DownloadError) in try Checksum(parsing: text) }
            if let checksum { standard = .checksum(checksum) }
        }
        if let url = command.url.map(URLArgument.completed) {
            var spec = DownloadSpec(url: url, destination: .folder(path: "."))
            OptionLayer(flags: command.verification.values, command.access.values)
                .apply(.verify, to: &spec, &problems)
            let options = OptionLayer(flags: command.network.values, command.credentials.values)
            network.readWays(options, spec, &problems)
            network.readCredentials(options, list: nil, spec: spec, &problems)
            _ = problems.read("--url") { () throws(DownloadError) in try SourceURL(parsing: url) }
            standard = .source(spec)
        }
        if command.ignoreMissing, command.checksums.isEmpty {
            problems.add("--ignore-missing requires --checksums")
        }
        let given = [command.checksum.last, command.checksums.last, command.url].compactMap(\.self).count
        if given > 1 { problems.add("--checksum, --checksums and --url cannot be combined") }
        if files.isEmpty, command.checksums.isEmpty {
            problems.addIfNone("nothing to verify: give a file, or a list with --checksums")
        }
        if command.checksums.count > 1 { problems.add("--checksums is for one list: verify the others separately") }
        if Set(command.checksum).count > 1 { problems.add("--checksum: \(ListDraft.severalChecksums)") }
        if files.count > 1, !command.checksum.isEmpty { problems.add("--checksum is for one file") }
        if files.count > 1, command.url != nil { problems.add("--url is for one file") }
        guard problems.messages.isEmpty else { throw problems }
    }

    /// The list that names the checksums, or nil.
    var list: String? { if case .list(let path) = standard { path } else { nil } }

    /// Whether missing files have no line of their own: those that a list names, if there are no events for programs.
    var skipsMissing: Bool { ignoresMissing || files.isEmpty && !json }

    /// The path of a file that a list names, relative to the list's folder; nil where the name leads out of it.
    ///
    /// Lists come from strangers: one must not have another file read than those beside and below it.
    package static func path(_ name: String, listedIn list: String) -> String? {
        // Not by characters: a slash with a combining mark is another one, but a slash to the file system.
        let slash = UInt8(ascii: "/")
        let parts = name.utf8.split(separator: slash, omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard !name.isEmpty, !name.utf8.contains(0), !parts.contains(".."), !parts.contains("") else { return nil }
        guard let end = list.utf8.lastIndex(of: slash) else { return name }
        return String(Substring(list.utf8[...end])) + name
    }
}
