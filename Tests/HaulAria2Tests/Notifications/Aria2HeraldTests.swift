import Foundation
import HaulAria2
import HaulCore
import Testing

@Suite("What clients hear")
struct Aria2HeraldTests {
    static let error = DownloadError(.timedOut, "late")
    static let facts = FinishFacts(path: "/a", totalBytes: 1, sessionBytes: 1, seconds: 1, verified: nil, kept: false)
    static let start = StartFacts(path: "/a", totalBytes: 1, resumedBytes: 0, insecure: false)

    static func received(_ kinds: [DownloadEvent.Kind], running: Set<DownloadID> = []) -> [Aria2Notification] {
        var herald = Aria2Herald(running: running)
        return kinds.flatMap {
            herald.receive(
                DownloadEvent(
                    number: 1, download: DownloadID(rawValue: 1), time: Date(timeIntervalSince1970: 0), kind: $0))
        }
    }

    @Test(
        "a run begins once and ends once",
        arguments: [
            ([.added], []), ([.started(start), .finished(facts)], [.start, .complete]),
            ([.finished(facts)], [.start, .complete]), ([.failed(error)], [.start, .error]),
            ([.started(start), .started(start), .failed(error)], [.start, .error]),
            ([.started(start), .paused(.asked), .resumed, .started(start)], [.start, .pause, .start]),
            ([.paused(.asked)], [.pause]), ([.cancelled(keptPartial: true)], [.stop]),
            ([.started(start), .cancelled(keptPartial: false), .removed(.none)], [.start, .stop]),
            ([.started(start), .removed(.all)], [.start, .stop]),
            ([.finished(facts), .removed(.none)], [.start, .complete]),
            ([.started(start), .waiting(.linkExpired(error), until: nil)], [.start, .pause]),
            ([.waiting(.credentials, until: nil)], [.pause]),
            (
                [.started(start), .waiting(.retrying(error, attempt: 1), until: nil), .finished(facts)],
                [.start, .complete]
            ),
            ([.started(start), .waiting(.space(bytes: 1), until: nil), .started(start)], [.start, .start]),
            ([.progress(TransferProgress()), .notice(.sourceChanged), .changed, .sourceReplaced, .resumed], []),
        ] as [([DownloadEvent.Kind], [Aria2Notification])])
    func runs(kinds: [DownloadEvent.Kind], expected: [Aria2Notification]) {
        #expect(Self.received(kinds) == expected)
    }

    @Test(
        "of one that ran before anybody listened its end is told alone; what begins then is told",
        arguments: [
            ([.finished(facts)], [.complete]), ([.failed(error)], [.error]), ([.removed(.none)], [.stop]),
            ([.paused(.asked), .started(start), .finished(facts)], [.pause, .start, .complete]),
            ([.started(start), .finished(facts)], [.start, .complete]),
            ([.finished(facts), .removed(.none)], [.complete]),
            ([.failed(error), .resumed, .failed(error)], [.error, .start, .error]),
            ([.waiting(.space(bytes: 1), until: nil), .removed(.none)], []),
            ([.added, .failed(error)], [.start, .error]), ([.resumed, .finished(facts)], [.start, .complete]),
        ] as [([DownloadEvent.Kind], [Aria2Notification])])
    func earlier(kinds: [DownloadEvent.Kind], expected: [Aria2Notification]) {
        #expect(Self.received(kinds, running: [DownloadID(rawValue: 1)]) == expected)
        #expect(Self.received([.finished(Self.facts)], running: [DownloadID(rawValue: 2)]) == [.start, .complete])
    }
}
