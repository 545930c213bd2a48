import Foundation
import HaulCore

@testable import HaulStore

/// What tests put into a catalogue.
enum Samples {
    static func spec(_ number: Int) -> DownloadSpec {
        DownloadSpec(url: "https://example.org/\(number).iso", destination: .folder(path: "/downloads"))
    }

    static let error = DownloadError(.linkExpired, "the link has expired", cause: "403 Forbidden")

    static let facts = FinishFacts(
        path: "/downloads/a.iso", totalBytes: 7, sessionBytes: 5, seconds: 0.25,
        verified: try? Checksum(.md5, hex: "0123456789abcdef0123456789abcdef"), kept: false)

    /// Each state with each thing that may belong to it.
    static let statuses: [StoredStatus] = [
        .queued, .active, .paused(.asked), .paused(.relaunch), .held(.credentials), .held(.linkExpired(error)),
        .finished(facts), .failed(error), .cancelled(keptPartial: true), .cancelled(keptPartial: false),
    ]

    /// A spec in which nothing has its default.
    static var fullSpec: DownloadSpec {
        var spec = DownloadSpec(url: "https://example.org:8443/ä b?q=1#part", destination: .hashed(folder: "/d\"'ö"))
        spec.onConflict = .rename
        spec.connections = .fixed(3)
        spec.checksum = try? Checksum(parsing: "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709")
        spec.headers = [.init(name: "Accept", value: "text/*"), .init(name: "User-Agent", value: "")]
        (spec.method, spec.repeatsRequest, spec.retriesUnreachable) = ("PUT", true, true)
        spec.body = DownloadSpec.RequestBody("x", mediaType: "a/b").withoutBytes
        spec.resumes = false
        spec.retries = 9
        spec.connectTimeout = .milliseconds(1500)
        spec.idleTimeout = .seconds(7)
        (spec.maxWait, spec.maxTime) = (.seconds(3), .milliseconds(4500))
        spec.minSpeed = MinimumSpeed(bytesPerSecond: 5, seconds: 6.5)
        spec.insecure = true
        spec.allowsDowngrade = true
        spec.range = ByteRange(from: 5, to: .max)
        spec.partialFolder = "/partials"
        spec.addedBy = "alice"
        spec.rateLimit = 1 << 40
        spec.networks = .unmetered
        spec.key = "mine"
        spec.group = "series"
        spec.tags = ["x", "y"]
        spec.priority = -1000
        spec.notBefore = Date(timeIntervalSince1970: 1_800_000_000.125)
        spec.after = [DownloadID(rawValue: 30), DownloadID(rawValue: 4)]
        spec.startsAtOnce = true
        spec.startsPaused = true
        return spec
    }

    static func event(_ number: Int64, _ id: DownloadID, _ kind: DownloadEvent.Kind) -> DownloadEvent {
        DownloadEvent(number: number, download: id, time: Date(timeIntervalSince1970: 5.5), kind: kind)
    }
}

extension Catalogue {
    /// Adds specs and tells their identities.
    @discardableResult
    func add(_ specs: [DownloadSpec]) throws -> [DownloadID] {
        try insert(specs.map { NewRecord(spec: $0) }, firstEvent: lastEvent + 1, time: 1000).map(\.id)
    }

    /// Adds so many different downloads.
    @discardableResult
    func add(_ count: Int) throws -> [DownloadID] { try add((0..<count).map(Samples.spec)) }

    /// What stands in the list, in its order.
    var list: [DownloadID] { get throws { try ids(.all) } }
}

extension Inserted {
    var id: DownloadID {
        switch self {
        case .added(let id, _, _, _), .present(let id): id
        }
    }
}
