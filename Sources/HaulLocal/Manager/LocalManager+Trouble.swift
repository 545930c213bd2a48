import HaulCore
import HaulEngine
import HaulLibC
import HaulStore
import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Handling of a list that can't be written, as on a full disk.
extension LocalManager {
    /// The most failures in one round of new attempts.
    private static let failuresPerRound = 16

    /// Uses the list and records the outcome: the first failure is logged, the following ones are counted.
    func usingList<Value>(_ body: () throws(DownloadError) -> Value) throws(DownloadError) -> Value {
        trouble.begin(.change, at: clock.now)
        defer { trouble.end(.change) }
        do throws(DownloadError) {
            let value = try body()
            trouble.succeed()
            return value
        } catch {
            if error.code == .catalogueFailed || error.code == .catalogueBusy, trouble.fail(error, at: clock.now) {
                configuration.logger.error("can't write the list of downloads", metadata: ["error": "\(error)"])
                mailbox.post(.wake)
            }
            throw error
        }
    }

    /// The time after which a change of the list is written to the disk, so that a power failure costs at most 5 s of
    /// changes.
    static let syncInterval = Duration.seconds(4)

    /// Writes the list to the disk, on a thread of its own: a disk may take its time, and nothing waits for this.
    func syncList(in tasks: inout DiscardingTaskGroup) {
        trouble.begin(.sync, at: clock.now)
        tasks.addTask { [catalogue, syncQueue, mailbox, trouble] in
            defer { trouble.end(.sync) }
            do throws(DownloadError) {
                try await syncQueue.call { () throws(DownloadError) in try catalogue.sync() }
                mailbox.post(.synced(nil))
            } catch {
                mailbox.post(.synced(error))
            }
        }
    }

    /// Writes the list to the disk for the last time, and rewrites it if necessary.
    func saveList() async {
        do throws(DownloadError) {
            try await syncQueue.call { [catalogue] () throws(DownloadError) in
                do throws(DownloadError) {
                    if catalogue.hasUnsynced { try catalogue.sync() }
                    // SQLite does this when it closes, and says nothing if it fails.
                    catalogue.emptyLog()
                } catch {
                    guard catalogue.isSuspect else { throw error }
                }
                if catalogue.isSuspect { try catalogue.rewrite() }
            }
        } catch {
            configuration.logger.error(
                "the last changes of the list of downloads may not be on the disk", metadata: ["error": "\(error)"])
        }
    }

    /// True if something is still to be recorded, or the list has not been written successfully since a failure.
    var hasTrouble: Bool {
        trouble.error != nil || !unrecorded.isEmpty || !unstarted.isEmpty || !unforgotten.isEmpty
    }

    /// Tries again to record what could not be recorded; after a few failures, the rest waits for the next round.
    func recordAgain(in tasks: inout DiscardingTaskGroup) {
        if catalogue.isSuspect, !rewriting.isDue(at: clock.now) { return }
        if trouble.isFailing, (try? usingList({ () throws(DownloadError) in try catalogue.checkWritable() })) == nil {
            return
        }
        rewriting = RewriteSchedule()
        var failures = 0
        for (id, result) in unrecorded where failures < Self.failuresPerRound {
            ended(id, result)
            recordGroup(in: &tasks)
            if unrecorded[id] != nil { failures += 1 }
        }
        for id in unforgotten where failures < Self.failuresPerRound {
            cleanupDone(id, nil)
            if unforgotten.contains(id) { failures += 1 }
        }
        let waiting = unstarted
        unstarted = []
        for id in waiting { enqueue(id) }
        guard let ended = trouble.end(at: clock.now, quiet: configuration.recordInterval * 2) else { return }
        let seconds = Int64(ended.duration / .seconds(1))
        configuration.logger.notice(
            "can write the list of downloads again",
            metadata: ["failures": "\(ended.failures)", "seconds": "\(seconds)"])
    }

    /// Reports to those waiting for a download that the result can't be recorded now.
    ///
    /// Their commands were recorded and carried out.
    func disappoint(_ id: DownloadID, _ error: DownloadError) {
        let error = DownloadError(
            error.code,
            "the command for download \(id) was carried out, and its result is recorded as soon as the list can be written",
            cause: error.cause.map { "\(error.message); \($0)" } ?? error.message)
        for waiter in settling.removeValue(forKey: id) ?? [] { waiter.resume(returning: error) }
    }

    /// Returns the error if waiting for a download would take as long as the list can't be written, else nil.
    func obstacle(_ id: DownloadID) -> DownloadError? {
        guard unforgotten.contains(id) || unrecorded[id] != nil else { return nil }
        return trouble.error
            ?? DownloadError(.catalogueFailed, "the end of download \(id) is not recorded yet: try again in a moment")
    }

    /// Returns free space of the list to the disk, and empties its log, in portions, with a turn for others between them.
    func tidyList() async throws(DownloadError) {
        prune()
        while try tidyPortion() { await Task.yield() }
    }

    /// Copies the list into a new file beside it, and returns its path.
    func backUpList() throws(DownloadError) -> String {
        try open()
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        return try catalogue.backUp(clock.milliseconds().date.formatted(style))
    }

    private func tidyPortion() throws(DownloadError) -> Bool {
        guard !isClosing else { return false }
        return try catalogue.tidy()
    }
}
