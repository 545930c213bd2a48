import Haul
import HaulCore

extension Aria2RPC {
    func changeUri(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let found = try await snapshot(parameters)
        guard try parameters.integer(1) == 1 else { throw .refused("fileIndex is out of range") }
        let (removed, added) = (try parameters.texts(2), try parameters.texts(3))
        let position = try parameters.optionalInteger(4, minimum: 0)
        guard !found.state.isFinal else { throw .refused("Cannot remove URIs from GID#\(GID(of: found))") }
        let before = [found.spec.url] + found.spec.mirrors.map(\.url)
        var change = Aria2URIChange(before)
        change.remove(removed)
        if !added.isEmpty {
            let names = added.filter { (try? Aria2Sources([$0], check: configuration.checkSource)) != nil }
            change.insert(Array(names.prefix(Aria2Sources.maximum)), at: position)
        }
        guard let first = change.urls.first else {
            throw .refused("The last URI of a download can't be removed.")
        }
        let maker = Aria2Spec(
            roots: configuration.roots, options: Aria2ReportedOptions.options(of: found, common: options))
        let mirrors = maker.ranked(change.urls.dropFirst().map { DownloadSpec.Mirror(url: $0) })
        var changed = found.spec
        (changed.url, changed.mirrors) = (first, mirrors)
        // Another client, with other rights, may have added the download: new sources follow the rules for this one.
        if change.urls.contains(where: { !before.contains($0) }) { try admit(&changed) }
        let publicOnly = changed.publicAddressesOnly
        if found.spec.mirrors.map(\.url) != mirrors.map(\.url) {
            try await rewrite(found) { spec throws(DownloadError) in
                (spec.mirrors, spec.publicAddressesOnly) = (mirrors, publicOnly)
            }
        }
        if first != found.spec.url {
            try await reported { () throws(DownloadError) in
                try await manager.replaceSource(found.id, url: first, publicAddressesOnly: publicOnly)
            }
        }
        return .array([.number(String(change.removed)), .number(String(change.added))])
    }
}

/// The effect of `aria2.changeUri` on a list of URIs.
struct Aria2URIChange: Hashable, Sendable {
    private(set) var urls: [String]
    private(set) var removed = 0
    private(set) var added = 0

    init(_ urls: [String]) { self.urls = urls }

    /// Removes one occurrence for each time that a URI is named.
    mutating func remove(_ names: [String]) {
        for name in names {
            guard let index = urls.firstIndex(of: name) else { continue }
            urls.remove(at: index)
            removed += 1
        }
    }

    /// Inserts URIs at a position among the remaining ones; nil for the end.
    ///
    /// A URI that exists already is counted as added, as in aria2, which then has it twice; here the list contains each
    /// source only once.
    mutating func insert(_ names: [String], at position: Int64?) {
        var new: [String] = []
        for name in names where !urls.contains(name) && !new.contains(name) { new.append(name) }
        urls.insert(contentsOf: new, at: position.map { Int(min($0, Int64(urls.count))) } ?? urls.count)
        added = names.count
    }
}
