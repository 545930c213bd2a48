package import HaulCore
import HaulOptions

/// The options of a download as reported by `aria2.getOption`: first those of its current spec, then given ones that
/// mean nothing to Haul, then those for all downloads.
///
/// They contain no secret, because a reported spec has none.
package struct Aria2ReportedOptions: Sendable {
    private static let prefix = "aria2:"

    /// Returns the given options that are stored with the download as tags: those that its spec does not contain.
    package static func tags(of given: Aria2Options) -> Set<String> {
        let kept = given.filter { option in
            option.scope.contains(.download) && !option.scope.contains(.secret) && !derived.contains(option.name)
        }
        return Set(kept.names.map { "\(prefix)\($0)=\(kept[$0] ?? "")" })
    }

    /// Returns true if a tag contains an option.
    package static func isOption(tag: String) -> Bool { tag.hasPrefix(prefix) }

    /// Returns the options that are stored with a download as tags.
    package static func given(_ spec: DownloadSpec) -> Aria2Options {
        var result = Aria2Options()
        for tag in spec.tags.sorted() where tag.hasPrefix(prefix) {
            let parts = tag.dropFirst(prefix.count).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let option = Aria2Option.named(String(parts[0])) else { continue }
            // Tags can be set by any client: invalid values are ignored.
            try? result.take(option, String(parts[1]))
        }
        return result
    }

    /// The options that the spec contains.
    private static let derived = Set(
        [
            "dir", "out", "user-agent", "header", "http-user", "ftp-user", "pause", "gid",
            "parameterized-uri",
        ] + OptionTable.reported.map(\.name))

    /// Returns the options of a download.
    ///
    /// - Parameter common: The options for all downloads.
    package static func options(of snapshot: DownloadSnapshot, common: Aria2Options) -> Aria2Options {
        var result = common.filter { $0.scope.contains(.download) && !$0.scope.contains(.secret) }
        result.take(given(snapshot.spec))
        let spec = snapshot.spec
        func set(_ name: String, _ value: String?) {
            result.forget(name)
            if let value, let option = Aria2Option.named(name) { try? result.take(option, value) }
        }
        let status = Aria2Status(snapshot)
        set("dir", status.folder)
        if let path = spec.destination.filePath { set("out", path.split(separator: "/").last.map(String.init)) }
        for alias in OptionTable.reported { set(alias.name, alias.report?(spec)) }
        set("split", result["split"] ?? String(spec.connections.maximum))
        set(spec.url.lowercased().hasPrefix("http") ? "http-user" : "ftp-user", spec.user)
        set("user-agent", spec.headers.first { $0.name.lowercased() == "user-agent" }?.value)
        result.forget("header")
        if let option = Aria2Option.named("header") {
            for header in spec.headers where header.name.lowercased() != "user-agent" {
                // A header whose value may be a secret is stored without it.
                if !header.value.isEmpty { try? result.take(option, "\(header.name): \(header.value)") }
            }
        }
        return result
    }

    /// Returns options as an object: those that were given, and those with a default.
    ///
    /// - Parameter scope: Only options that may be given there.
    package static func json(_ options: Aria2Options, _ scope: Aria2Option.Scope) -> JSON {
        var members: [JSON.Member] = []
        for option in Aria2Option.table
        where option.scope.isSuperset(of: scope) && (!option.scope.contains(.secret) || option.name == "header") {
            guard let value = options.effective(option.name) else { continue }
            members.append(JSON.Member(option.name, .string(value)))
        }
        return .object(members)
    }
}
