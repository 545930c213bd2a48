import Haul
package import HaulCore
import HaulOptions

extension Aria2RPC {
    /// Returns the unfinished downloads, and those with the option `force-save`, as a session that aria2 and Haul can
    /// resume.
    ///
    /// It contains headers and passwords, as aria2's sessions do, so a saved session must be protected.
    ///
    /// - Parameter stopped: The downloads that were paused only because the program ends: they are not paused in the
    ///   session.
    package func session(stopped: Set<DownloadID> = []) async throws(Aria2Failure) -> Aria2List {
        var entries: [Aria2List.Entry] = []
        var last: DownloadID?
        while true {
            let after = last
            let page = try await reported { () throws(DownloadError) in
                try await manager.snapshots(after: after, limit: 1000)
            }
            guard let end = page.last else { return Aria2List(entries) }
            last = end.id
            for snapshot in page {
                // A download that a client has removed meanwhile is not part of the session.
                guard let spec = try await fullSpec(snapshot.id) else { continue }
                let isStopped = stopped.contains(snapshot.id)
                if let entry = Self.entry(snapshot, spec, isStopped: isStopped, common: options) {
                    entries.append(entry)
                }
            }
        }
    }

    /// Returns the spec of a download, with its secrets; nil if the download does not exist.
    private func fullSpec(_ id: DownloadID) async throws(Aria2Failure) -> DownloadSpec? {
        do throws(DownloadError) { return try await manager.fullSpec(id) } catch {
            guard error.code == .noSuchDownload else { throw Aria2Failure(error) }
            return nil
        }
    }

    /// Returns the entry of a download; nil if it is not part of the session.
    ///
    /// - Parameters:
    ///   - spec: The spec of the download, with its secrets.
    ///   - isStopped: True if it is paused only because the program ends.
    static func entry(
        _ snapshot: DownloadSnapshot, _ spec: DownloadSpec, isStopped: Bool = false, common: Aria2Options
    ) -> Aria2List.Entry? {
        let given = Aria2ReportedOptions.given(snapshot.spec)
        let state = Aria2State(snapshot.state)
        switch state {
        case .active, .waiting, .paused: break
        case .error:
            let isMissing = snapshot.state.failure?.code == .notFound
            if isMissing, !(given["save-not-found"] ?? common.effective("save-not-found") == "true") { return nil }
        case .complete, .removed:
            guard given["force-save"] ?? common.effective("force-save") == "true" else { return nil }
        }
        var entry = Aria2List.Entry(line: 0, uris: [spec.url] + spec.mirrors.map(\.url))
        entry.add("gid", GID(of: snapshot).description)
        if state == .paused, !isStopped { entry.add("pause", "true") }
        if given["force-save"] == nil, common.isSet("force-save") { entry.add("force-save", "true") }
        addOptions(of: snapshot, spec, to: &entry)
        return entry
    }

    /// Adds the options of a download to an entry, including headers and passwords.
    ///
    /// - Parameter spec: The spec of the download, with its secrets.
    static func addOptions(of snapshot: DownloadSnapshot, _ spec: DownloadSpec, to entry: inout Aria2List.Entry) {
        let reported = Aria2ReportedOptions.options(of: snapshot, common: Aria2Options())
        for name in reported.names where name != "header" && !isStandard(name, spec) {
            entry.add(name, reported[name] ?? "")
        }
        for header in spec.headers where header.name.lowercased() != "user-agent" {
            if !header.value.isEmpty { entry.add("header", "\(header.name): \(header.value)") }
        }
        let scheme = spec.url.lowercased().hasPrefix("http") ? "http" : "ftp"
        if case .text(let password)? = spec.password { entry.add("\(scheme)-passwd", password) }
    }

    /// Returns true if an option that every spec has is unchanged: it is not written, so that the then valid default
    /// applies.
    private static func isStandard(_ name: String, _ spec: DownloadSpec) -> Bool {
        let standard = DownloadSpec(url: "", destination: spec.destination)
        return switch name {
        case "timeout", "connect-timeout":
            OptionTable.aria2(name)?.report?(spec) == Aria2Option.named(name)?.standard
        case "max-download-limit": spec.rateLimit == nil
        case "split": spec.connections == standard.connections && Aria2ReportedOptions.given(spec)["split"] == nil
        default: false
        }
    }
}
