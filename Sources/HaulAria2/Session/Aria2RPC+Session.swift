import Haul
import HaulCore

extension Aria2RPC {
    /// What has not finished, and what has the option `force-save`, as a session that aria2 and Haul can go on with.
    ///
    /// Secrets are not in it (guarantee: secrets stay home).
    package func session() async throws(Aria2Failure) -> Aria2List {
        var entries: [Aria2List.Entry] = []
        var last: DownloadID?
        while true {
            let after = last
            let page = try await told { () throws(DownloadError) in
                try await manager.snapshots(after: after, limit: 1000)
            }
            guard let end = page.last else { return Aria2List(entries) }
            last = end.id
            entries += page.compactMap { Self.entry($0, common: options) }
        }
    }

    /// The entry of a download; nil where it has nothing left to do.
    static func entry(_ snapshot: DownloadSnapshot, common: Aria2Options) -> Aria2List.Entry? {
        let given = Aria2ToldOptions.given(snapshot.spec)
        let state = Aria2State(snapshot.state)
        switch state {
        case .active, .waiting, .paused: break
        case .error:
            let isMissing = snapshot.state.failure?.code == .notFound
            if isMissing, !(given["save-not-found"] ?? common.effective("save-not-found") == "true") { return nil }
        case .complete, .removed:
            guard given["force-save"] ?? common.effective("force-save") == "true" else { return nil }
        }
        let spec = snapshot.spec
        var entry = Aria2List.Entry(line: 0, uris: [spec.url] + spec.mirrors.map(\.url))
        entry.add("gid", GID(of: snapshot).description)
        if state == .paused { entry.add("pause", "true") }
        let told = Aria2ToldOptions.options(of: snapshot, common: Aria2Options())
        if given["force-save"] == nil, common.isSet("force-save") { entry.add("force-save", "true") }
        for name in told.names where !isStandard(name, spec) {
            for value in name == "header" ? told.list(name) : [told[name] ?? ""] { entry.add(name, value) }
        }
        return entry
    }

    /// Whether nobody has set an option that every spec has: it is not written, so that what is the standard then counts.
    private static func isStandard(_ name: String, _ spec: DownloadSpec) -> Bool {
        let standard = DownloadSpec(url: "", destination: spec.destination)
        return switch name {
        case "timeout": spec.idleTimeout == standard.idleTimeout
        case "connect-timeout": spec.connectTimeout == standard.connectTimeout
        case "split": spec.connections == standard.connections && Aria2ToldOptions.given(spec)["split"] == nil
        default: false
        }
    }
}
