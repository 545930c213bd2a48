import HaulCore

/// The unparsed description of a file in a document.
struct MetalinkDraft {
    /// The digests of pieces by one algorithm.
    struct Pieces {
        var type: String
        var length: String
        /// The digests with the numbers of their pieces, from 0, in the order of the document.
        var hashes: [(number: Int?, value: String)] = []

        /// The digests in the order of the file; nil if a number is missing, invalid or repeated.
        var ordered: [String]? {
            let sorted = hashes.sorted { ($0.number ?? -1) < ($1.number ?? -1) }
            return sorted.enumerated().allSatisfy { $0.offset == $0.element.number } ? sorted.map(\.value) : nil
        }
    }

    let name: String
    var size: String?
    var hashes: [(type: String, value: String)] = []
    var languages: [String] = []
    var systems: [String] = []
    var version: String?
    var pieces: [Pieces] = []
    private var sources: [(mirror: DownloadSpec.Mirror, order: Int)] = []
    /// The types of sources that have something else than the file, such as a torrent.
    private var otherTypes: [String] = []

    init(name: String) { self.name = name }

    /// Adds a source of a version 4 document; RFC 5854, section 4.2.16.2: the best priority is 1, the worst and default
    /// is 999,999.
    mutating func addSource(_ url: String, location: String?, priority: String?) {
        let number = priority.flatMap { Int($0) } ?? 999_999
        add(url, location, min(max(number, 1), 999_999))
    }

    /// Adds a source of a version 3 document, in which the best preference is 100, and the lowest is the default.
    ///
    /// - Parameter type: The way to the file. A URL of type `bittorrent` has the torrent instead, often over http.
    mutating func addSource(_ url: String, location: String?, preference: String?, type: String?) {
        let type = (type ?? "").filter { !$0.isWhitespace }
        if !type.isEmpty, !Self.directTypes.contains(type.lowercased()) { return otherTypes.append(type) }
        let number = preference.flatMap { Int($0) } ?? 0
        add(url, location, 101 - min(max(number, 0), 100))
    }

    private mutating func add(_ url: String, _ location: String?, _ priority: Int) {
        sources.append((DownloadSpec.Mirror(url: url, priority: priority, location: location), sources.count))
    }

    /// Adds the digest of a piece; version 3 numbers them.
    mutating func addPiece(_ hash: String, number: String?) {
        guard !pieces.isEmpty else { return }
        let last = pieces.count - 1
        pieces[last].hashes.append((number.map { Int($0) } ?? pieces[last].hashes.count, hash))
    }

    /// Returns the file, or nil if it has no source that can be downloaded.
    ///
    /// - Throws: `DownloadError` if its name leads out of the folder, or its size or a digest is invalid.
    func file(takenNames: inout [String: Int], omissions: inout [String]) throws(DownloadError) -> MetalinkFile? {
        let name = try safeName(&takenNames)
        let sources = usableSources(name, &omissions)
        guard let best = sources.first?.priority else {
            omissions.append("\(name) has no source that can be downloaded")
            return nil
        }
        let ranked = sources.map { source in
            var source = source
            source.priority -= best - 1
            return source
        }
        let total = try totalBytes()
        return MetalinkFile(
            name: name, totalBytes: total, checksum: try checksum(), pieces: try pieceHashes(total, name, &omissions),
            sources: ranked, languages: languages, systems: systems, version: version)
    }

    /// Returns the name with safe components; RFC 5854, section 4.1.2.1: it may contain folders, but must not lead out
    /// of the chosen one.
    ///
    /// Each component is made safe by itself. If two files then have the same path, the later one gets a number.
    ///
    /// - Parameter taken: The paths in use, each with the next number to try for it.
    private func safeName(_ taken: inout [String: Int]) throws(DownloadError) -> String {
        let parts = name.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        let isAbsolute = name.hasPrefix("/") || name.dropFirst().hasPrefix(":")
        guard !name.isEmpty, !isAbsolute, !parts.contains(".."), !name.contains("\\") else {
            throw MetalinkGuard.refusal(
                "the file name \"\(TerminalText.printable(name))\" is invalid or leads out of the folder")
        }
        let folders = parts.dropLast().filter { !$0.isEmpty && $0 != "." }.map { FileName.safe($0) + "/" }
        let (folder, last) = (folders.joined(), FileName.safe(parts.last ?? ""))
        let safe = folder + last
        var unique = safe
        while taken[unique] != nil {
            let number = taken[safe, default: 1]
            taken[safe] = number + 1
            unique = folder + FileName.numbered(last, number)
        }
        taken[unique] = 1
        return unique
    }

    private func usableSources(_ name: String, _ omissions: inout [String]) -> [DownloadSpec.Mirror] {
        var seen: Set<ByteKey> = []
        var usable: [DownloadSpec.Mirror] = []
        let ordered = sources.sorted { ($0.mirror.priority, $0.order) < ($1.mirror.priority, $1.order) }
        for type in Set(otherTypes).sorted() {
            let shown = TerminalText.printable(String(type.prefix(40)))
            omissions.append("\(name): sources of the type \"\(shown)\" can't be downloaded")
        }
        for source in ordered.map(\.mirror) where seen.insert(ByteKey(source.url)).inserted {
            do throws(DownloadError) {
                _ = try SourceURL(parsing: source.url)
                if usable.count < Metalink.maxSources { usable.append(source) }
            } catch {
                omissions.append("\(name): \(error.message)")
            }
        }
        return usable
    }

    private func totalBytes() throws(DownloadError) -> Int64? {
        guard let size else { return nil }
        guard let bytes = Int64(size), bytes >= 0 else {
            throw MetalinkGuard.refusal("\"\(TerminalText.printable(String(size.prefix(40))))\" is not a valid size")
        }
        return bytes
    }

    /// Returns the strongest digest; a malformed one is an error, since the file could not be verified as its author
    /// intended.
    private func checksum() throws(DownloadError) -> Checksum? {
        for algorithm in Self.strongestFirst {
            guard let hash = hashes.first(where: { Self.algorithm($0.type) == algorithm }) else { continue }
            return try Checksum(algorithm, hex: hash.value)
        }
        return nil
    }

    private func pieceHashes(
        _ total: Int64?, _ name: String, _ omissions: inout [String]
    ) throws(DownloadError) -> PieceHashes? {
        for algorithm in Self.strongestFirst {
            guard let found = pieces.first(where: { Self.algorithm($0.type) == algorithm }) else { continue }
            guard let hashes = found.ordered,
                let made = PieceHashes.lenient(length: found.length, algorithm, hashes), total.map(made.fits) ?? true
            else {
                omissions.append("\(name): its piece hashes do not match its size and are ignored")
                return nil
            }
            return made
        }
        return nil
    }

    /// The types of version 3 whose URLs have the file itself.
    private static let directTypes: Set<String> = ["http", "https", "ftp", "ftps", "ftpes", "sftp"]

    private static let strongestFirst: [Checksum.Algorithm] = [.sha512, .sha256, .sha1, .md5]

    /// Returns the algorithm for a name such as `sha-256` (version 4) or `sha256` (version 3).
    private static func algorithm(_ type: String) -> Checksum.Algorithm? {
        Checksum.Algorithm(rawValue: type.lowercased().filter { $0 != "-" })
    }
}

extension PieceHashes {
    /// Creates piece digests from text; nil if they are invalid.
    fileprivate static func lenient(length: String, _ algorithm: Checksum.Algorithm, _ hashes: [String]) -> PieceHashes?
    {
        guard let bytes = Int64(length) else { return nil }
        return try? PieceHashes(length: bytes, algorithm: algorithm, hashes: hashes)
    }
}
