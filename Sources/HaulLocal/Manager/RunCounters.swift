package import HaulCore
import HaulStore
import Synchronization

/// The counts of a manager since it was opened, and the size of its list: the figures for monitoring.
package struct ManagerFigures: Hashable, Sendable {
    /// The bytes that all runs have received, including those that are running.
    package var receivedBytes: Int64
    /// The number of downloads that finished; one that is downloaded again counts again.
    package var finished: Int
    /// The number of downloads that failed, by the code of the error.
    package var failed: [DownloadError.Code: Int]
    /// The retries and failures of hosts.
    package var hosts: HostCounters
    /// The number of hook commands that failed, could not be started, or were dropped.
    package var hookFailures: Int
    /// The size of the list; nil if it is in memory, or cannot be read.
    package var list: ListSize?

    /// The size of the list's files in bytes.
    package struct ListSize: Hashable, Sendable {
        /// The database.
        package var bytes: Int64
        /// The part of the database that is free for new records.
        package var freeBytes: Int64
        /// The write-ahead log.
        package var logBytes: Int64

        /// Creates the value.
        package init(bytes: Int64, freeBytes: Int64, logBytes: Int64) {
            (self.bytes, self.freeBytes, self.logBytes) = (bytes, freeBytes, logBytes)
        }
    }

    /// Creates the figures.
    package init(
        receivedBytes: Int64, finished: Int, failed: [DownloadError.Code: Int], hosts: HostCounters, hookFailures: Int,
        list: ListSize?
    ) {
        (self.receivedBytes, self.finished, self.failed) = (receivedBytes, finished, failed)
        (self.hosts, self.hookFailures, self.list) = (hosts, hookFailures, list)
    }
}

/// The ends of runs and downloads since a manager was opened.
///
/// It is updated at events and at ends of runs, never while data arrives.
struct RunCounters {
    /// The bytes of the runs that have ended.
    var receivedBytes: Int64 = 0
    private(set) var finished = 0
    private(set) var failed: [DownloadError.Code: Int] = [:]
    private(set) var hosts = HostCounters()

    /// Counts a recorded event.
    ///
    /// - Parameter url: Returns the URL of the download; called only for a retry or a failure.
    mutating func count(_ kind: DownloadEvent.Kind, url: () -> String?) {
        switch kind {
        case .finished: finished += 1
        case .failed(let error):
            failed[error.code, default: 0] += 1
            hosts.count(.failure, of: Self.host(url()))
        case .waiting(let reason, _) where reason.isBetweenAttempts: hosts.count(.retry, of: Self.host(url()))
        case .snapshot, .progress, .added, .started, .waiting, .notice, .paused, .resumed, .sourceReplaced, .cancelled,
            .removed, .changed:
            break
        }
    }

    private static func host(_ url: String?) -> String {
        url.flatMap { try? SourceURL(parsing: $0) }?.host ?? HostCounters.other
    }
}

/// The retries and failures by host, with a limited number of names: those of the busiest hosts, and `other`.
///
/// A host gets a name of its own once it has more retries and failures than another that has one; that one's are then
/// added to `other`. So no number is lost, and that of `other` never falls.
package struct HostCounters: Hashable, Sendable {
    /// The kind of event that is counted.
    package enum Kind { case retry, failure }

    /// The numbers of one host.
    package struct Numbers: Hashable, Sendable {
        /// The number of retries.
        package var retries = 0
        /// The number of failed downloads.
        package var failures = 0
    }

    /// The name under which all hosts without a name of their own are counted.
    package static let other = "other"

    private let limit: Int
    private let tracked: Int
    private var named: [String: Numbers] = [:]
    private var unnamed = Numbers()
    /// The retries and failures of recent hosts, to find the busiest ones.
    private var totals: [String: Int] = [:]

    /// Creates empty counters.
    ///
    /// - Parameters:
    ///   - limit: The number of hosts that have a name of their own.
    ///   - tracked: The number of hosts that are remembered to compare them.
    package init(limit: Int = 50, tracked: Int = 1000) {
        (self.limit, self.tracked) = (limit, max(limit, tracked))
    }

    /// The numbers by name, those of `other` last.
    package var numbers: [(host: String, numbers: Numbers)] {
        named.sorted { $0.key < $1.key }.map { (host: $0.key, numbers: $0.value) }
            + [(host: Self.other, numbers: unnamed)]
    }

    /// Counts a retry or a failure.
    package mutating func count(_ kind: Kind, of host: String) {
        guard host != Self.other, limit > 0 else { return Self.add(kind, to: &unnamed) }
        if totals[host] == nil, totals.count >= tracked { totals = totals.filter { named[$0.key] != nil } }
        let total = totals[host, default: 0] + 1
        totals[host] = total
        if named[host] == nil, named.count >= limit {
            let least = named.keys.min { (totals[$0, default: 0], $0) < (totals[$1, default: 0], $1) }
            guard let least, total > totals[least, default: 0], let old = named.removeValue(forKey: least) else {
                return Self.add(kind, to: &unnamed)
            }
            unnamed.retries += old.retries
            unnamed.failures += old.failures
        }
        Self.add(kind, to: &named[host, default: Numbers()])
    }

    private static func add(_ kind: Kind, to numbers: inout Numbers) {
        switch kind {
        case .retry: numbers.retries += 1
        case .failure: numbers.failures += 1
        }
    }
}

/// A number that several threads increase.
final class SharedCount: Sendable {
    private let number = Atomic(0)

    /// The number.
    var value: Int { number.load(ordering: .relaxed) }

    /// Adds one.
    func increase() { number.add(1, ordering: .relaxed) }
}

extension LocalManager {
    /// The figures for monitoring.
    func figures() -> ManagerFigures {
        let running = live.values.filter { !$0.isCounted }.reduce(0) { $0 + $1.progress.sessionBytes }
        let size = try? catalogue.size()
        return ManagerFigures(
            receivedBytes: counters.receivedBytes + running, finished: counters.finished, failed: counters.failed,
            hosts: counters.hosts, hookFailures: hookFailures.value,
            list: size.map {
                ManagerFigures.ListSize(bytes: $0.bytes, freeBytes: $0.freeBytes, logBytes: $0.logBytes)
            })
    }

    /// Counts recorded events; call it before downloads that have ended are forgotten.
    func count(_ events: [DownloadEvent]) {
        for event in events {
            counters.count(event.kind) { live[event.download]?.spec.url ?? storedURL(event.download) }
        }
    }

    /// Counts the bytes of a run that has ended, once.
    func countBytes(of id: DownloadID, _ result: Result<FinishFacts, DownloadError>) {
        guard let entry = live[id], !entry.isCounted else { return }
        live[id]?.isCounted = true
        counters.receivedBytes += max(entry.progress.sessionBytes, (try? result.get())?.sessionBytes ?? 0)
    }

    private func storedURL(_ id: DownloadID) -> String? { (try? catalogue.record(id)).flatMap(\.self)?.spec.url }
}
