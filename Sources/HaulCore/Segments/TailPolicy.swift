/// Finds the last remains that are worth a second fetch, because the connection that has them is slow or silent and another one is idle.
///
/// The bytes that come twice in all stay within a budget: what a second fetch may cost at most is set aside before it begins, and what it
/// did not cost comes back when it ends. A remain that is too large for the budget is cut to size: its later part is simply taken over.
/// Pure.
package struct TailPolicy: Hashable, Sendable {
    /// A connection with a remain.
    package struct Candidate: Hashable, Sendable {
        /// Its fetch.
        package var fetch: Int
        /// Its segment.
        package var segment: Int
        /// The bytes that are left of it.
        package var remain: ByteRange
        /// Bytes per second, smoothed; 0: none has come.
        package var speed: Double
        /// How long no byte has come.
        package var silence: Duration

        /// Makes an entry.
        package init(fetch: Int, segment: Int, remain: ByteRange, speed: Double, silence: Duration) {
            self.fetch = fetch
            self.segment = segment
            self.remain = remain
            self.speed = speed
            self.silence = silence
        }
    }

    /// What an idle connection does.
    package enum Work: Hashable, Sendable {
        /// Fetch what is left of a fetch's segment, too.
        case backup(fetch: Int)
        /// Take the part of a segment from `offset` on over.
        case takeOver(segment: Int, at: Int64)
    }

    /// Bytes that came twice.
    package private(set) var repeatedBytes: Int64 = 0
    /// What each running second fetch may cost at most.
    private var reserved: [Int: Int64] = [:]
    /// How often a second fetch brought nothing although it had its time.
    private var failures = 0
    /// What connections that have ended brought, bytes per second, the newest last.
    private var paces: [Double] = []

    /// The most that may come twice, however large the file is.
    package static let maxBytes: Int64 = 4 << 20
    /// The part of the file that may come twice.
    package static let part: Int64 = 50
    /// After so many that brought nothing no further one is begun.
    private static let maxFailures = 4
    /// So much shorter than this no wait is.
    private static let minGain: Duration = .milliseconds(100)
    /// Where it can be, a remain is cut at a page's border.
    private static let alignment: Int64 = 16 << 10
    private static let rememberedPaces = 8
    /// What is assumed of a connection while nothing is known, bytes per second.
    private static let guess = 1024.0 * 1024

    /// Makes a policy that has spent nothing.
    package init() {}

    /// How many bytes of a file may come twice in all: 2 % of it, and 4 MiB at most.
    package static func budget(total: Int64) -> Int64 { min(maxBytes, max(0, total) / part) }

    /// What is left of the budget.
    package func left(total: Int64) -> Int64 {
        max(0, Self.budget(total: total) - repeatedBytes - reserved.values.reduce(0, +))
    }

    /// A connection has ended, after so many bytes in such a time.
    package mutating func didBring(_ bytes: Int64, in time: Duration) {
        guard bytes >= 64 << 10, time > .zero else { return }
        paces = paces.suffix(Self.rememberedPaces - 1) + [Double(bytes) / time.seconds]
    }

    /// The next piece of work, if any pays: the donor that would take longest, where a second fetch is expected to need half of that.
    ///
    /// - Parameters:
    ///   - fellows: what other connections bring now, bytes per second.
    ///   - latency: how long an answer takes.
    package func next(_ candidates: [Candidate], peers: [Double], latency: Duration, total: Int64) -> Work? {
        let left = left(total: total)
        guard failures < Self.maxFailures, left > 0 else { return nil }
        let waits = candidates.filter { !$0.remain.isEmpty }.map { candidate in
            let known = (paces + (paces.isEmpty && peers.isEmpty ? [candidate.speed] : peers)).filter { $0 > 0 }
                .sorted()
            let typical = known.isEmpty ? Self.guess : known[known.count / 2]
            return (
                candidate, wait: wait(for: candidate), fresh: latency.seconds + Double(candidate.remain.count) / typical
            )
        }
        let patience = Self.minGain.seconds * Double(1 << failures)
        let worth = waits.filter { $0.wait >= 2 * $0.fresh + patience }
        guard let candidate = worth.max(by: { $0.wait < $1.wait })?.0 else { return nil }
        if candidate.remain.count <= left { return .backup(fetch: candidate.fetch) }
        let offset = candidate.remain.lowerBound + left
        let aligned = offset / Self.alignment * Self.alignment
        return .takeOver(segment: candidate.segment, at: aligned > candidate.remain.lowerBound ? aligned : offset)
    }

    /// How long a donor will need, in seconds.
    ///
    /// One that has been silent for a time is expected to be so for as long again; its speed of before says nothing then.
    private func wait(for candidate: Candidate) -> Double {
        let silence = candidate.silence.seconds
        guard candidate.speed > 0 else { return silence }
        return max(Double(candidate.remain.count) / candidate.speed, silence)
    }

    /// How long a second fetch may be silent before it is given up, too.
    package func patience(latency: Duration) -> Duration {
        max(.milliseconds(500), latency * 4) * (1 << min(failures, 8))
    }

    /// A second fetch begins: it may cost so many bytes at most.
    package mutating func begin(_ fetch: Int, bytes: Int64) { reserved[fetch] = max(0, bytes) }

    /// A second fetch is over.
    ///
    /// - Parameters:
    ///   - repeated: how many bytes came twice because of it.
    ///   - failed: whether it did no good although it had its time.
    package mutating func end(_ fetch: Int, repeated: Int64, failed: Bool) {
        guard let maximum = reserved.removeValue(forKey: fetch) else { return }
        repeatedBytes += min(max(0, repeated), maximum)
        if failed { failures += 1 }
    }
}
