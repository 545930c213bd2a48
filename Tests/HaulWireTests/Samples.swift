import Foundation
import HaulCore
import HaulWire

/// One value of every case that crosses the wire.
enum Samples {
    static let time = Date(timeIntervalSince1970: 1_800_000_000.25)
    static let error = DownloadError(.linkExpired, "the link has expired", cause: "403 Forbidden")
    static let checksum = try? Checksum(.sha256, hex: String(repeating: "ab", count: 32))
    static let progress = TransferProgress(
        fileBytes: 1, sessionBytes: 2, totalBytes: 3, speed: 4.5, averageSpeed: 5.5, secondsLeft: 6.5, connections: 7)

    static let waits: [WaitReason] = [
        .turn(limit: 3), .host("example.org", limit: 2), .connections(host: "example.org", limit: 4), .start,
        .notBefore(time), .dependency(DownloadID(rawValue: 8)), .space(bytes: 9),
        .openFiles, .network, .meteredNetwork,
        .linkExpired(error), .credentials, .serverAsked(status: 429), .retrying(error, attempt: 4),
    ]

    static let verifications: [Verification] =
        [.sizeAndDate, .size, .nothing, .pieces(.sha1)]
        + [ChecksumOrigin.given, .header(name: "Repr-Digest", host: "example.org"), .file("SHA256SUMS")]
        .flatMap { origin in [checksum].compactMap(\.self).map { .checksum($0, origin) } }

    static func facts(_ verification: Verification) -> FinishFacts {
        FinishFacts(
            path: "/d/a", totalBytes: 5, sessionBytes: 4, seconds: 0.5, verification: verification, kept: true)
    }

    static let states: [DownloadState] =
        waits.map { .waiting($0) } + [.running, .paused(.asked), .paused(.relaunch), .failed(error)]
        + verifications.map { .finished(facts($0)) } + [true, false].map { .cancelled(keptPartial: $0) }

    static let notices: [Notice] = [
        .partialQuarantined(reason: "garbled"), .sourceChanged, .rangesIgnored, .fewerConnections(2),
        .sourceExcluded(url: "http://m/", reason: "slow"), .badPieces(3),
        .headerDigestWrong(header: "Repr-Digest", host: "h"),
    ]

    static func snapshot(_ state: DownloadState, _ destination: Destination = .folder(path: "/d")) -> DownloadSnapshot {
        DownloadSnapshot(
            id: DownloadID(rawValue: 7), key: "k",
            spec: DownloadSpec(url: "http://h/a%20b?c", destination: destination),
            state: state, path: "/d/a b", progress: progress, added: time, changed: time)
    }

    static let kinds: [DownloadEvent.Kind] =
        [.snapshot(snapshot(.running)), .progress(progress), .added, .resumed, .sourceReplaced, .changed]
        + [.started(StartFacts(path: "/d/a", totalBytes: nil, resumedBytes: 3, insecure: true))]
        + waits.flatMap { [.waiting($0, until: nil), .waiting($0, until: time)] } + notices.map { .notice($0) }
        + PauseReason.allCases.map { .paused($0) } + verifications.map { .finished(facts($0)) } + [.failed(error)]
        + [true, false].map { .cancelled(keptPartial: $0) } + RemovedFiles.allCases.map { .removed($0) }

    /// A spec in which each field that the API has differs from its default.
    static func fullSpec() throws -> DownloadSpec {
        var spec = DownloadSpec(url: "https://h/a", destination: .file(path: "/d/name"))
        spec.onConflict = .rename
        spec.connections = .fixed(3)
        spec.checksum = checksum
        (spec.findsChecksum, spec.usesHeaderChecksum, spec.verifiesExisting) = (true, false, true)
        spec.mirrors = [DownloadSpec.Mirror(url: "https://m/a", priority: 2, location: "de")]
        spec.usesLinkedMirrors = false
        (spec.method, spec.repeatsRequest, spec.retriesUnreachable) = ("PUT", true, true)
        spec.body = DownloadSpec.RequestBody("x", mediaType: "a/b").withoutBytes
        spec.pieces = try PieceHashes(length: 4, algorithm: .md5, hashes: [String(repeating: "0", count: 32)])
        spec.expectedBytes = 4
        spec.headers = [DownloadSpec.Header(name: "Accept", value: "x")]
        spec.referer = "http://r/"
        (spec.user, spec.authentication, spec.failsOnHTML) = ("me", .digest, true)
        (spec.resumes, spec.adoptsPartials, spec.retries) = (false, true, 9)
        (spec.protection, spec.isExcludedFromBackup) = (.complete, true)
        (spec.connectTimeout, spec.idleTimeout) = (.seconds(2), .milliseconds(2500))
        (spec.maxWait, spec.maxTime) = (.seconds(3), .milliseconds(4500))
        spec.minSpeed = MinimumSpeed(bytesPerSecond: 5, seconds: 6.5)
        (spec.insecure, spec.allowsDowngrade) = (true, true)
        spec.range = ByteRange(1, 5)
        spec.rateLimit = 100
        spec.networks = .unmetered
        (spec.key, spec.group, spec.tags, spec.priority) = ("k", "g", ["s", "t"], -3)
        (spec.notBefore, spec.startsAtOnce, spec.startsPaused) = (time, true, true)
        spec.after = [DownloadID(rawValue: 3), DownloadID(rawValue: 12)]
        return spec
    }
}
