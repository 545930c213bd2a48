import Haul
import HaulCore
import HaulWire

/// Which downloads of a daemon are a program's own: those with its tag; and its keys have a prefix, so that no other program has them.
struct Ownership: Hashable, Sendable {
    /// The tag of all own downloads: `app:IDENTIFIER`.
    let tag: String

    private static let maximum = 100

    /// Takes an identifier.
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
                "the identifier of background downloads takes 1 to \(Self.maximum) letters, digits and . - _, and begins with no full stop"
            )
        }
        tag = "app:" + identifier
    }

    /// A key as the daemon has it: no identifier has a colon, so no two programs share one.
    func key(_ key: String) -> String { "\(tag):\(key)" }

    /// Whether a download is the program's own.
    func owns(_ snapshot: DownloadSnapshot) -> Bool { snapshot.spec.tags.contains(tag) }

    /// A spec as the daemon gets it.
    func marked(_ spec: DownloadSpec) -> DownloadSpec {
        var spec = spec
        spec.key = key(spec.key ?? spec.canonicalKey)
        spec.tags.insert(tag)
        return spec
    }

    /// A snapshot as the program gets it: with its own keys and tags.
    func unmarked(_ snapshot: DownloadSnapshot) -> DownloadSnapshot {
        var snapshot = snapshot
        let prefix = key("")
        snapshot.spec.tags.remove(tag)
        if snapshot.key.hasPrefix(prefix) { snapshot.key.removeFirst(prefix.count) }
        let isCanonical = snapshot.key == snapshot.spec.canonicalKey
        snapshot.spec.key = isCanonical ? nil : snapshot.key
        return snapshot
    }

    /// A filter as the daemon gets it.
    func filter(_ filter: DownloadFilter = .all) -> FilterMessage {
        var filter = filter
        filter.keys = filter.keys.map { Set($0.map(key)) }
        filter.requiredTags = (filter.requiredTags ?? []).union([tag])
        return FilterMessage(filter)
    }
}
