/// An answer's links, and the URL that they are relative to.
struct LinkedPage: Hashable, Sendable {
    /// Which URL answered.
    var url: SourceURL
    /// What it said.
    var links: ServerLinks
}

/// Mirrors that a server names, and the Metalink that it names for the file (RFC 6249).
///
/// They are asked only if a digest of the whole file decides at the end: the bytes that a mirror compares prove little, and nobody has
/// chosen these. A document counts only where it is of the origin that named it: its checksum is then worth what one in that server's
/// header is.
extension DownloadMachine {
    /// The most sources that a download has, with those that servers name.
    private static let maxSources = 64
    /// A file that is smaller fits one answer: a document would take longer than the file.
    private static let minDescribed: Int64 = 256 << 10

    /// Whether mirrors may be added that a server names: a digest decides at the end, and the next run will know it, too, or that one is needed.
    private var takesMirrors: Bool {
        configuration.isVouchedFor || headerChecksum != nil && configuration.mirrors.isEmpty
    }

    /// Takes in the mirrors that the first answer and the redirects before it name, behind those that the caller has named.
    mutating func addMirrors(_ facts: ResponseFacts, of url: SourceURL) {
        guard configuration.usesLinkedMirrors, facts.ranges != .refused, let total = facts.total else { return }
        let pages = hops + [LinkedPage(url: url, links: facts.links)]
        for page in pages where takesMirrors {
            for mirror in page.links.mirrors {
                guard let target = try? page.url.resolving(mirror.reference) else { continue }
                add(target, namedBy: page.url, priority: mirror.priority)
            }
        }
        guard total > Self.minDescribed else { return }
        describe(by: pages)
    }

    private mutating func add(_ target: SourceURL, namedBy url: SourceURL, priority: Int) {
        // The credentials of one URL are not for another that the server names, and no server leads from the web to a file server.
        guard URLOrigin.isWeb(target.origin.scheme), target.isSecure || !url.isSecure || configuration.allowsDowngrade,
            target.origin == url.origin || target.credentials == nil, sources.ids.count < Self.maxSources
        else { return }
        sources.add(target, priority: priority + 1, isLinked: true)
    }

    /// Asks once for the first document that is of the origin of who names it.
    private mutating func describe(by pages: [LinkedPage]) {
        guard describedAt == nil, configuration.window == nil, configuration.streamWindow == nil else { return }
        for page in pages {
            for reference in page.links.descriptions {
                guard let target = try? page.url.resolving(reference), target.origin == page.url.origin else {
                    continue
                }
                describedAt = restarts
                return effects.append(.network(.describe(target)))
            }
        }
    }

    /// The document has come: its sources are asked, too, and its checksum counts where no other is known.
    ///
    /// Not where the file has changed since: it may be of the old one.
    mutating func didReceive(_ description: FileDescription, now: Duration) {
        guard phase == .transferring, describedAt == restarts, let total = map.total,
            description.totalBytes ?? total == total
        else { return }
        let wasSingle = sources.isSingle
        let isDescribed = description.checksum != nil && configuration.usesHeaderChecksum
        for mirror in description.mirrors where takesMirrors || isDescribed && configuration.mirrors.isEmpty {
            add(mirror.url, namedBy: description.url, priority: mirror.priority)
        }
        // What is there is its own, and it has answered.
        if wasSingle, !sources.isSingle { sources[0].isTrusted = true }
        if wanted == nil, headerChecksum == nil, configuration.pieces == nil, configuration.usesHeaderChecksum,
            let checksum = description.checksum
        {
            describedChecksum = FoundChecksum(checksum, .header(name: "Link", host: description.url.host))
            hashed = checksum.algorithm
            effects.append(.digest(.algorithm(hashed)))
        }
        proceed(now: now)
    }
}

/// What a document says of the file.
package struct FileDescription: Hashable, Sendable {
    /// Where the document is.
    package var url: SourceURL
    /// Where the file is, the best first.
    package var mirrors: [MachineConfiguration.MirrorURL]
    /// The digest that the file must have.
    package var checksum: Checksum?
    /// The size that the file must have.
    package var totalBytes: Int64?

    /// Makes a description.
    package init(url: SourceURL, mirrors: [MachineConfiguration.MirrorURL], checksum: Checksum?, totalBytes: Int64?) {
        self.url = url
        self.mirrors = mirrors
        self.checksum = checksum
        self.totalBytes = totalBytes
    }
}
