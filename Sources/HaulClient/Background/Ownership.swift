import HaulCore
import HaulWire

/// Identifies a program's own downloads in a daemon by a tag, and separates its keys from those of other programs by a
/// prefix.
struct Ownership: Hashable, Sendable {
    /// The tag of all own downloads: `app:IDENTIFIER`.
    let tag: String

    private static let maximum = 100

    /// Creates the ownership for an identifier.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    init(_ identifier: String) throws(DownloadError) {
        let isGood = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            case _: false
            }
        }
        guard isGood, !identifier.isEmpty, identifier.utf8.count <= Self.maximum, identifier.first != "." else {
            throw DownloadError(
                .invalidRequest,
                "invalid identifier of background downloads: expected 1 to \(Self.maximum) letters, digits and . - _, not beginning with a full stop"
            )
        }
        tag = "app:" + identifier
    }

    /// Returns the daemon's form of a key.
    ///
    /// Identifiers contain no colon, so two programs never share a key.
    func key(_ key: String) -> String { "\(tag):\(key)" }

    /// Returns true if a download is the program's own.
    func owns(_ snapshot: DownloadSnapshot) -> Bool { snapshot.spec.tags.contains(tag) }

    /// Returns a spec as it is sent to the daemon.
    func marked(_ spec: DownloadSpec) -> DownloadSpec {
        var spec = spec
        spec.key = key(spec.key ?? spec.canonicalKey)
        spec.tags.insert(tag)
        return spec
    }

    /// Returns a snapshot as the program sees it, with its own keys and tags.
    func unmarked(_ snapshot: DownloadSnapshot) -> DownloadSnapshot {
        var snapshot = snapshot
        let prefix = key("")
        snapshot.spec.tags.remove(tag)
        if snapshot.key.hasPrefix(prefix) { snapshot.key.removeFirst(prefix.count) }
        let isCanonical = snapshot.key == snapshot.spec.canonicalKey
        snapshot.spec.key = isCanonical ? nil : snapshot.key
        return snapshot
    }

    /// Returns a filter as it is sent to the daemon.
    func filter(_ filter: DownloadFilter = .all) -> FilterMessage {
        var filter = filter
        filter.keys = filter.keys.map { Set($0.map(key)) }
        filter.requiredTags = (filter.requiredTags ?? []).union([tag])
        return FilterMessage(filter)
    }
}
