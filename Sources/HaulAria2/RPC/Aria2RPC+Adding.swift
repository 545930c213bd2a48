import Foundation
import Haul
package import HaulCore
import Synchronization

extension Aria2RPC {
    func addUri(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let uris = try parameters.texts(0)
        guard !uris.isEmpty else { throw .refused("URI is not provided.") }
        let given = try Aria2Options(try parameters.optionalObject(1), .download)
        let position = try position(parameters)
        return .string(try await add(uris, given, position).description)
    }

    /// Returns the requested position in the queue; nil for its end.
    private func position(_ parameters: Aria2Parameters) throws(Aria2Failure) -> Int64? {
        guard parameters.values.count > 2 else { return nil }
        let position = try parameters.integer(2)
        guard position >= 0 else { throw .refused("Position must be greater than or equal to 0.") }
        return position
    }

    /// Adds a download; with `parameterized-uri`, the expanded URIs are mirrors of one file.
    ///
    /// - Parameter roots: The folders that it may be saved to; nil for those of clients' downloads.
    /// - Returns: The GID of the download.
    package func add(
        _ uris: [String], _ given: Aria2Options, _ position: Int64? = nil, in roots: Aria2Roots? = nil
    ) async throws(Aria2Failure) -> GID {
        var effective = options.filter { $0.scope.contains(.download) }
        effective.take(given)
        var uris = uris
        if effective.isSet("parameterized-uri") {
            let expanded = uris.map(URIPattern.expand)
            guard !expanded.contains(nil) else { throw .option("parameterized-uri") }
            uris = expanded.flatMap { $0 ?? [] }
        }
        let sources = try Aria2Sources(uris, check: configuration.checkSource)
        var spec = configuration.template
        sources.apply(to: &spec)
        return try await add(&spec, given, effective, position, roots ?? configuration.roots)
    }

    /// Adds a Metalink document in base64: a download for each of its files.
    func addMetalink(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let text = try parameters.text(0)
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            throw .refused("The parameter at 0 is not valid base64.")
        }
        let given = try Aria2Options(try parameters.optionalObject(1), .download)
        let position = try position(parameters)
        let gids = try await add(metalink: Array(data), given, position)
        return .array(gids.map { .string($0.description) })
    }

    /// Adds the files that a Metalink document describes.
    ///
    /// - Parameters:
    ///   - origin: The URL of the document, if it was downloaded: it was its server that chose the sources, so a file
    ///     with sources of other origins gets no credentials and no headers.
    ///   - leader: The download of the document, which the files follow.
    package func add(
        metalink bytes: [UInt8], _ given: Aria2Options, _ position: Int64? = nil, in roots: Aria2Roots? = nil,
        from origin: SourceURL? = nil, following leader: GID? = nil
    ) async throws(Aria2Failure) -> [GID] {
        let roots = roots ?? configuration.roots
        let document: Metalink
        do throws(DownloadError) { document = try Metalink(parsing: bytes) } catch { throw Aria2Failure(error) }
        var given = given
        // These options are for one download, and the document may have several.
        for name in ["out", "checksum", "gid"] { given.forget(name) }
        var effective = options.filter { $0.scope.contains(.download) }
        effective.take(given)
        let dir = effective["dir"]
        let folder = try await roots.onDisk(of: dir) { () throws(Aria2Failure) in try roots.dir(dir) }
        let choice = Aria2MetalinkChoice(effective)
        let admitted = zip(document.files, document.specs(folder: folder)).filter { choice.admits($0.0) }
        guard !admitted.isEmpty else {
            throw .refused("The Metalink has no file for this language, operating system or version.")
        }
        let selected = effective["select-file"].flatMap(Aria2Option.indices)
        let files = admitted.enumerated().filter { index, _ in
            selected?.contains { $0.contains(index + 1) } ?? true
        }
        let needed = files.map { Aria2Roots.folder(of: $1.1.destination) }
        try await roots.onDisk(of: folder) { () throws(Aria2Failure) in
            for each in needed { try roots.make(each, below: folder) }
        }
        // Another server may have chosen the URL of a Metalink that itself follows one.
        var isNested = false
        if let leader { isNested = relations.withLock { $0.leader(of: leader) } != nil }
        var gids: [GID] = []
        // Also after a failure: those that were added before it are downloaded.
        defer {
            if let leader { relations.withLock { $0.setFollowers(gids, of: leader) } }
        }
        for (_, (file, described)) in files {
            var spec = configuration.template
            let ranked = choice.ranked(file.sources)
            (spec.url, spec.mirrors) = (ranked.first?.url ?? described.url, Array(ranked.dropFirst()))
            spec.destination = described.destination
            spec.isNamedByDocument = true
            (spec.checksum, spec.pieces, spec.expectedBytes) = (
                described.checksum, described.pieces, described.expectedBytes
            )
            let sources = [spec.url] + spec.mirrors.map(\.url)
            guard (try Aria2Sources(sources, check: configuration.checkSource)).urls.count == Set(sources).count else {
                throw .refused("The Metalink has sources of a kind that is not allowed here.")
            }
            let place = position.map { $0.addingReportingOverflow(Int64(gids.count)).partialValue }
            var own = effective
            if let origin,
                isNested || sources.contains(where: { (try? SourceURL(parsing: $0))?.origin != origin.origin })
            {
                for name in Self.credentials { own.forget(name) }
            }
            gids.append(try await add(&spec, given, own, place, roots, keepsPlace: true, following: leader))
        }
        return gids
    }

    /// The options that identify the user to a server.
    private static let credentials = ["header", "referer", "http-user", "http-passwd", "ftp-user", "ftp-passwd"]

    private func add(
        _ spec: inout DownloadSpec, _ given: Aria2Options, _ effective: Aria2Options, _ position: Int64?,
        _ roots: Aria2Roots, keepsPlace: Bool = false, following leader: GID? = nil
    ) async throws(Aria2Failure) -> GID {
        try refuseOtherProxies(given)
        let maker = Aria2Spec(roots: roots, options: effective)
        var names = Set(effective.names).union(Aria2Spec.conflict).union(Aria2Spec.standing)
        if keepsPlace { names.subtract(["dir", "out", "uri-selector"]) } else { names.insert("dir") }
        spec = try await applied(names, maker, to: spec)
        spec.tags = Aria2ReportedOptions.tags(of: given)
        spec.startsPaused = configuration.allowsPause && effective.isSet("pause")
        let gid = try await freeGID(given["gid"])
        spec.key = gid.key
        try admit(&spec)
        try await make(Aria2Roots.folder(of: spec.destination), in: roots)
        if let leader { relations.withLock { $0.setLeader(leader, of: gid) } }
        let added = spec
        let download = try await reported { () throws(DownloadError) in try await manager.add(added) }
        // Another client may have added one with this GID meanwhile.
        guard download.isNew else { throw Self.isUsed(gid) }
        if let position {
            let waiting = try await reported { () throws(DownloadError) in
                try await manager.ids(.state(.waiting, .paused))
            }
            let target = Int(min(max(0, position), Int64(max(0, waiting.count - 1))))
            if waiting.contains(download.id) { try await move(download.id, to: target, among: waiting) }
        }
        return gid
    }

    /// Returns a spec with options applied, one of which may be a folder inside the roots.
    func applied(
        _ names: Set<String>, _ maker: Aria2Spec, to spec: DownloadSpec
    ) async throws(Aria2Failure) -> DownloadSpec {
        try await maker.roots.onDisk(of: maker.options["dir"]) { () throws(Aria2Failure) in
            var spec = spec
            try maker.apply(names, to: &spec)
            return spec
        }
    }

    /// Creates a folder inside the roots.
    func make(_ folder: String, in roots: Aria2Roots) async throws(Aria2Failure) {
        try await roots.onDisk(of: folder) { () throws(Aria2Failure) in try roots.make(folder) }
    }

    /// Applies the present rules for clients' sources to a spec.
    func admit(_ spec: inout DownloadSpec) throws(Aria2Failure) {
        do throws(DownloadError) { try configuration.admit?(&spec) } catch { throw Aria2Failure(error) }
    }

    /// Returns the GID that a client chose, or a new one.
    private func freeGID(_ chosen: String?) async throws(Aria2Failure) -> GID {
        if let chosen, let gid = GID(chosen) {
            guard try await find(gid) == nil else { throw Self.isUsed(gid) }
            return gid
        }
        return .random()
    }

    private static func isUsed(_ gid: GID) -> Aria2Failure {
        .refused("No URI to download.", detail: "GID#\(gid) is already used.")
    }

    /// Rejects proxies in the options of a download.
    ///
    /// The proxy is set for the whole program, and using another one than the client requested could reveal the
    /// download to others.
    func refuseOtherProxies(_ given: Aria2Options) throws(Aria2Failure) {
        for name in given.names where name.contains("proxy") && name != "proxy-method" {
            guard given[name] != configuration.options[name], given[name]?.isEmpty == false else { continue }
            throw .refused(
                "The option '--\(name)' can't be set for a single download: set it at the start of the program.")
        }
    }
}
