import Haul
package import HaulCore

extension Aria2RPC {
    /// Returns true if the files of a Metalink are downloaded after it (aria2(1), `--follow-metalink`).
    ///
    /// - Parameter given: The options of its download, which override those for all.
    package func followsMetalink(_ given: Aria2Options) -> Bool {
        (given["follow-metalink"] ?? options.effective("follow-metalink")) != "false"
    }

    /// Adds the files of a Metalink that was downloaded, with the options of its download.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - folder: The folder of the files.
    ///   - roots: The folders that they may be saved to; nil for those of clients' downloads.
    /// - Returns: The GIDs of the files.
    package func follow(
        _ snapshot: DownloadSnapshot, _ bytes: [UInt8], into folder: String, in roots: Aria2Roots?
    ) async throws(Aria2Failure) -> [GID] {
        let spec = try await reported { () throws(DownloadError) in try await manager.fullSpec(snapshot.id) }
        var entry = Aria2List.Entry(line: 0, uris: [])
        Self.addOptions(of: snapshot, spec, to: &entry)
        entry.add("dir", folder)
        var given = try Aria2Options(entry.options, .download)
        // The number of connections was determined for the document's own sources, unless it was given.
        if Aria2ReportedOptions.given(spec)["split"] == nil { given.forget("split") }
        return try await add(
            metalink: bytes, given, in: roots, from: try? SourceURL(parsing: spec.url), following: GID(of: snapshot))
    }
}

/// The Metalinks whose files were downloaded after them, and these files (aria2(1), `followedBy` and `following`).
///
/// Like aria2, it keeps them for one run of the program: a session does not contain them.
package struct Aria2Relations: Hashable, Sendable {
    private var leaders: [GID: GID] = [:]
    private var followers: [GID: [GID]] = [:]

    /// Creates relations without downloads.
    package init() {}

    /// Returns the Metalink that a download follows; nil if it follows none.
    package func leader(of gid: GID) -> GID? { leaders[gid] }

    /// Returns the downloads that follow a Metalink, in its order.
    package func followers(of gid: GID) -> [GID] { followers[gid] ?? [] }

    /// Records that a download follows a Metalink.
    ///
    /// The Metalink itself is unchanged until `setFollowers`, so that clients never see only some of its files.
    package mutating func setLeader(_ leader: GID, of gid: GID) { leaders[gid] = leader }

    /// Records all downloads that follow a Metalink.
    package mutating func setFollowers(_ gids: [GID], of leader: GID) { followers[leader] = gids }
}
