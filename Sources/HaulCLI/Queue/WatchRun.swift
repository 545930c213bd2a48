import HaulClient
import HaulCore
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Shows the progress of the daemon's downloads, with the bars of `haul get`.
///
///     events of the daemon -> WatchBoard (pure) -> reports -> Console
struct WatchRun: Sendable {
    private let client: DaemonClient
    private let filter: FilterMessage
    private let endsIncluded: Bool
    private let follows: Bool
    private let quiet: Bool
    private let json: Bool

    /// Makes a run.
    ///
    /// - Parameter endsIncluded: True if downloads that have ended are reported, too: they were named.
    init(
        _ client: DaemonClient, _ filter: FilterMessage, endsIncluded: Bool, follows: Bool = false, quiet: Bool = false,
        json: Bool
    ) {
        (self.client, self.filter, self.endsIncluded) = (client, filter, endsIncluded)
        (self.follows, self.quiet, self.json) = (follows, quiet, json)
    }

    /// Watches until all downloads are idle, or a signal arrives.
    ///
    /// - Throws: `DownloadError` if the daemon cannot be reached, or exits.
    func run() async throws(DownloadError) -> ExitCode {
        let begin = ContinuousClock.now
        let (stops, stop) = AsyncStream.makeStream(of: StopReason.self, bufferingPolicy: .bufferingOldest(1))
        let console = Console(reporters: reporters, now: { ContinuousClock.now - begin }) { stop.yield(.outputClosed) }
        let signals = SignalWatcher()
        signals.start(stop: { stop.yield($0) }, resumed: { console.forgetFrame() })
        console.start()
        let watching = Task { () -> Result<Bool, DownloadError> in
            do throws(DownloadError) { return .success(try await watch(console, stop)) } catch {
                return .failure(error)
            }
        }
        let stopping = Task {
            for await reason in stops {
                watching.cancel()
                return Optional(reason)
            }
            return nil
        }
        let result = await watching.value
        stop.finish()
        let reason = await stopping.value
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        // The downloads continue without this process, so nothing about resuming is shown.
        console.report(
            .closed(Closing(stop: nil, seconds: seconds, resumes: true, onConflict: .fail, watches: true)))
        await console.end()
        signals.end()
        if let reason { return reason.exitCode }
        let isAnyStopped = try result.get()
        let code = console.exitCode(stop: nil)
        // The caller waits for the files of the downloads that it has named.
        return code == .complete && endsIncluded && isAnyStopped ? .interrupted : code
    }

    private var reporters: [any Reporter] {
        let environment = TerminalEnvironment.process
        if !quiet, !json, OutputFile.standardError.isTerminal, environment.canMoveCursor {
            return [JobControlReporter(style: environment.style, expected: nil)]
        }
        return [PlainReporter(expected: nil, quiet: quiet || json)]
    }

    /// - Returns: True if a download was stopped before its end.
    private func watch(
        _ console: Console, _ stop: AsyncStream<StopReason>.Continuation
    ) async throws(DownloadError) -> Bool {
        var board = WatchBoard()
        var last: Int64?
        var isAny = false
        for part in parts {
            var after: DownloadID?
            repeat {
                let page = try await client.list(part, after: after, limit: Self.portion)
                last = last ?? page.lastEvent
                for download in page.downloads {
                    isAny = true
                    if json, endsIncluded { try write(snapshot(of: download), stop) }
                    for report in board.take(download) { console.report(report) }
                }
                after = page.next
            } while after != nil
        }
        if board.isIdle, !follows {
            if !isAny, !quiet, !json { console.report(.log(try await nothingToWatch())) }
            return board.isAnyStopped
        }
        for try await reported in client.events(after: last, interval: .milliseconds(200)) {
            switch reported {
            case .download(let event):
                guard try await isMeant(event, &board) else { continue }
                if json { try write(event, stop) }
                for report in board.take(event) { console.report(report) }
            case .reset: try await readAgain(&board, console, stop)
            case .summary: continue
            }
            if board.isIdle, !follows { return board.isAnyStopped }
        }
        guard Task.isCancelled else { throw DownloadError(.connectionFailed, "the daemon has exited") }
        return board.isAnyStopped
    }

    /// Reports the ends of downloads whose events are no longer kept.
    private func readAgain(
        _ board: inout WatchBoard, _ console: Console, _ stop: AsyncStream<StopReason>.Continuation
    ) async throws(DownloadError) {
        let ids = board.waitedFor.sorted()
        for start in stride(from: 0, to: ids.count, by: Self.portion) {
            let asked = Array(ids[start..<min(start + Self.portion, ids.count)])
            var one = FilterMessage()
            one.ids = asked
            let found = try await client.list(one, limit: Self.portion).downloads
            for download in found {
                let reports = board.takeEnd(download)
                if json, !reports.isEmpty { try write(snapshot(of: download), stop) }
                for report in reports { console.report(report) }
            }
            for id in Set(asked).subtracting(found.map(\.id)).sorted() {
                let event = DownloadEvent(number: 0, download: id, time: Date(), kind: .removed(.none))
                if json { try write(event, stop) }
                for report in board.take(event) { console.report(report) }
            }
        }
    }

    /// The number of downloads requested at once.
    private static let portion = 1000

    /// The filters that find the selected downloads; many numbers are divided among several requests.
    private var parts: [FilterMessage] {
        var first = filter
        // Ended downloads do not start by themselves; states given by the user are used all the same.
        first.states = filter.states ?? (endsIncluded ? nil : [.running, .waiting])
        guard let ids = filter.ids, ids.count > Self.portion else { return [first] }
        return stride(from: 0, to: ids.count, by: Self.portion).map { start in
            first.ids = Array(ids[start..<min(start + Self.portion, ids.count)])
            return first
        }
    }

    private func snapshot(of download: DownloadMessage) throws(DownloadError) -> DownloadEvent {
        DownloadEvent(number: 0, download: download.id, time: download.changed, kind: .snapshot(try download.snapshot))
    }

    /// Writes an event as one line of JSON; the watch ends if nobody reads it.
    private func write(
        _ event: DownloadEvent, _ stop: AsyncStream<StopReason>.Continuation
    ) throws(DownloadError) {
        let line = try WireJSON.line(EventMessage(event).redacted)
        guard !OutputFile.standardOutput.write(line), OutputFile.loss == nil else { return }
        stop.yield(.outputClosed)
    }

    /// Returns the message that no download runs; earlier failures are not hidden by it.
    private func nothingToWatch() async throws(DownloadError) -> String {
        let failed = try await client.summary().counts[DownloadState.Kind.failed.rawValue] ?? 0
        let rest = failed > 0 ? "\(failed) failed: haul list --state failed" : "see haul list"
        return "nothing to watch: no selected download is running or waiting; \(rest)"
    }

    /// Returns true if an event is about a selected download; an unknown download is looked up first.
    private func isMeant(_ event: DownloadEvent, _ board: inout WatchBoard) async throws(DownloadError) -> Bool {
        if let known = board.isMeant(event.download) { return known }
        var one = filter
        if let ids = filter.ids, !ids.contains(event.download) {
            board.leaveOut(event.download)
            return false
        }
        one.ids = [event.download]
        guard let download = try await client.list(one, limit: 1).downloads.first else {
            board.leaveOut(event.download)
            return false
        }
        _ = board.take(download, isNew: true)
        return true
    }
}
