import Foundation
import HaulCore
import HaulWire
import Testing

@testable import HaulCLI

@Suite("What a watch shows")
struct WatchBoardTests {
    private static let facts = FinishFacts(
        path: "/f/a", totalBytes: 9, sessionBytes: 9, seconds: 1, verified: nil, kept: false)

    private func message(
        _ state: DownloadState, id: Int64 = 4, path: String? = "/f/a",
        progress: TransferProgress = TransferProgress(fileBytes: 3, totalBytes: 9)
    ) -> DownloadMessage {
        let time = Date(timeIntervalSince1970: 0)
        return DownloadMessage(
            DownloadSnapshot(
                id: DownloadID(rawValue: id), key: "k",
                spec: DownloadSpec(url: "http://h/a", destination: .folder(path: "/f")), state: state, path: path,
                progress: progress, added: time, changed: time))
    }

    private func event(_ kind: DownloadEvent.Kind, id: Int64 = 4) -> DownloadEvent {
        DownloadEvent(number: 1, download: DownloadID(rawValue: id), time: Date(timeIntervalSince1970: 0), kind: kind)
    }

    /// The reports in words.
    private func words(_ reports: [Report]) -> [String] {
        reports.map { report in
            switch report {
            case .began: return "began"
            case .event(_, let event): return String("\(event)".prefix { $0 != "(" })
            case .listed, .badLine, .cutShort, .log, .closed: return "other"
            }
        }
    }

    @Test(
        "it is over when nothing of what was chosen has anything to do",
        arguments: [
            (DownloadState.running, true), (.waiting(.turn(limit: 1)), true), (.waiting(.credentials), false),
            (.paused(.asked), false), (.finished(facts), false), (.cancelled(keptPartial: true), false),
        ])
    func idleness(_ state: DownloadState, isBusy: Bool) {
        var board = WatchBoard()
        #expect(board.isIdle)
        _ = board.take(message(state))
        #expect(board.isIdle == !isBusy)
        #expect(board.isMeant(DownloadID(rawValue: 4)) == true)
        #expect(board.isMeant(DownloadID(rawValue: 5)) == nil)
        board.leaveOut(DownloadID(rawValue: 5))
        #expect(board.isMeant(DownloadID(rawValue: 5)) == false)
        #expect(board.take(event(.added, id: 5)).isEmpty)
        #expect(board.isIdle == !isBusy)
    }

    @Test("a start that was shown with the download is not shown again by its event; that of the next run is")
    func startOnce() {
        let started = DownloadEvent.Kind.started(
            StartFacts(path: "/f/a", totalBytes: 9, resumedBytes: 0, insecure: false))
        for last in [
            DownloadEvent.Kind.finished(Self.facts), .paused(.asked),
            .waiting(.linkExpired(DownloadError(.linkExpired, "")), until: nil),
            .waiting(.space(bytes: 1), until: nil),
        ] {
            var board = WatchBoard()
            #expect(words(board.take(message(.running))).contains("started"))
            #expect(board.take(event(started)).isEmpty)
            #expect(words(board.take(event(started))) == ["started"])
            board = WatchBoard()
            _ = board.take(message(.running))
            _ = board.take(event(last))
            #expect(words(board.take(event(started))) == ["started"])
        }
    }

    @Test("a download whose server has not responded yet is shown when it has started, with its size")
    func startAfterResponse() {
        let facts = StartFacts(path: "/f/a", totalBytes: 9, resumedBytes: 0, insecure: false)
        var board = WatchBoard()
        let earlier = TransferProgress(fileBytes: 3)
        #expect(board.take(message(.running, progress: earlier)).isEmpty && !board.isIdle)
        #expect(words(board.take(event(.started(facts)))) == ["started"])
        // The size of this one is unknown although it has started.
        board = WatchBoard()
        let running = TransferProgress(fileBytes: 3, sessionBytes: 3)
        #expect(words(board.take(message(.running, progress: running))).contains("started"))
    }

    @Test("one that runs has its bar at once, and each end takes it away")
    func course() {
        let ends: [(DownloadEvent.Kind, String)] = [
            (.finished(Self.facts), "finished"), (.failed(DownloadError(.notFound, "no")), "failed"),
            (.paused(.asked), "failed"), (.cancelled(keptPartial: true), "failed"), (.removed(.partial), "failed"),
            (.waiting(.credentials, until: nil), "failed"),
        ]
        for (end, word) in ends {
            var board = WatchBoard()
            let reports = board.take(message(.running))
            #expect(words(reports) == ["began", "started", "progress"])
            // What came before somebody watched is no earlier session's.
            if case .event(_, .started(let facts)) = reports[1] { #expect(facts.resumedBytes == 0) }
            #expect(words(board.take(event(.progress(TransferProgress(fileBytes: 5))))) == ["progress"])
            #expect(words(board.take(event(.waiting(.serverAsked(status: 503), until: nil)))) == ["waiting"])
            #expect(!board.isIdle)
            #expect(words(board.take(event(end))) == [word])
            #expect(board.isIdle)
            #expect(board.take(event(.resumed)).isEmpty)
            #expect(!board.isIdle)
        }
    }

    @Test("a download that has ended is reported with its result")
    func ended() {
        let error = DownloadError(.notFound, "no")
        for (state, word) in [(DownloadState.finished(Self.facts), "finished"), (.failed(error), "failed")] {
            var board = WatchBoard()
            #expect(words(board.take(message(state))) == [word] && board.isIdle)
        }
        for state in [DownloadState.paused(.asked), .cancelled(keptPartial: true)] {
            var board = WatchBoard()
            #expect(words(board.take(message(state))) == ["other"] && board.isIdle)
        }
    }

    @Test("one that is stopped and continues later is not stopped any more")
    func stopped() {
        var board = WatchBoard()
        _ = board.take(message(.running))
        _ = board.take(event(.paused(.asked)))
        #expect(board.isAnyStopped && board.isIdle)
        _ = board.take(event(.resumed))
        #expect(!board.isAnyStopped)
        _ = board.take(event(.cancelled(keptPartial: true)))
        #expect(board.isAnyStopped)
        var other = WatchBoard()
        _ = other.take(message(.paused(.asked)))
        #expect(other.isAnyStopped)
    }

    @Test("a download that may wait for long is shown with the reason; one that waits for its turn is not")
    func waits() {
        let time = Date(timeIntervalSince1970: 90)
        for reason in [WaitReason.notBefore(time), .dependency(DownloadID(rawValue: 3)), .space(bytes: 7), .openFiles] {
            var board = WatchBoard()
            #expect(words(board.take(message(.waiting(reason)))) == ["began", "waiting"] && !board.isIdle)
        }
        for reason in [WaitReason.turn(limit: 1), .start] {
            var board = WatchBoard()
            #expect(board.take(message(.waiting(reason))).isEmpty && !board.isIdle)
        }
        var board = WatchBoard()
        #expect(words(board.take(message(.waiting(.credentials)))) == ["failed"] && board.isIdle)
    }

    @Test("the end of one whose events were missed is shown once, and a later run as well")
    func missed() {
        let time = Date(timeIntervalSince1970: 0)
        var board = WatchBoard()
        _ = board.take(message(.running))
        #expect(board.takeEnd(message(.running)).isEmpty && board.waitedFor == [DownloadID(rawValue: 4)])
        #expect(words(board.takeEnd(message(.finished(Self.facts)))) == ["finished"] && board.isIdle)
        // Its events, which come nevertheless.
        let started = DownloadEvent.Kind.started(
            StartFacts(path: "/f/a", totalBytes: 9, resumedBytes: 0, insecure: false))
        for kind in [started, .finished(Self.facts)] { #expect(board.take(event(kind)).isEmpty && board.isIdle) }
        let later = DownloadEvent(number: 2, download: DownloadID(rawValue: 4), time: time + 1, kind: .resumed)
        #expect(board.take(later).isEmpty && !board.isIdle)
        for (state, isStopped) in [
            (DownloadState.failed(DownloadError(.notFound, "no")), false), (.paused(.asked), true),
            (.cancelled(keptPartial: true), true), (.waiting(.credentials), false),
        ] {
            board = WatchBoard()
            _ = board.take(message(.running))
            #expect(words(board.takeEnd(message(state))) == ["failed"])
            #expect(board.isIdle && board.isAnyStopped == isStopped)
        }
    }

    @Test("a run that ends to begin again later keeps the watch going, and is shown with what it waits for")
    func short() {
        for reason in [WaitReason.space(bytes: 5), .openFiles] {
            var board = WatchBoard()
            _ = board.take(message(.running))
            #expect(words(board.take(event(.waiting(reason, until: nil)))) == ["waiting"])
            #expect(!board.isIdle && !board.isAnyStopped)
        }
    }
}
