import Foundation
import Haul

/// One download as hooks and notifications see it.
enum Sample {
    static let time = Date(timeIntervalSince1970: 1_700_000_000.25)
    static let finish = FinishFacts(
        path: "/d/a.iso", totalBytes: 5, sessionBytes: 5, seconds: 1, verified: nil, kept: false)
    static let start = StartFacts(path: "/d/begun.iso", totalBytes: nil, resumedBytes: 0, insecure: false)
    static let error = DownloadError(.notFound, "the server has no such file", cause: "404")

    static func snapshot(url: String = "https://host/x/a.iso", path: String? = nil) -> DownloadSnapshot {
        var spec = DownloadSpec(url: url, destination: .folder(path: "/d"))
        spec.group = "g"
        spec.tags = ["b", "a"]
        return DownloadSnapshot(
            id: DownloadID(rawValue: 7), key: "k", spec: spec, state: .running, path: path,
            progress: TransferProgress(totalBytes: 9), added: time, changed: time)
    }

    static func event(_ kind: DownloadEvent.Kind) -> DownloadEvent {
        DownloadEvent(number: 1, download: DownloadID(rawValue: 7), time: time, kind: kind)
    }

    /// Every kind of event once.
    static var kinds: [DownloadEvent.Kind] {
        [
            .snapshot(snapshot()), .progress(TransferProgress()), .added, .started(start),
            .waiting(.turn(limit: 3), until: nil),
            .notice(.rangesIgnored), .paused(.asked), .resumed, .sourceReplaced, .finished(finish), .failed(error),
            .cancelled(keptPartial: true), .removed(.none), .changed,
        ]
    }

    static func context(_ kind: DownloadEvent.Kind = .finished(finish)) -> HookContext? {
        HookContext(event(kind), snapshot: snapshot())
    }
}
