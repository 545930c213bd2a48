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
