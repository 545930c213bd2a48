/// Finds the last remaining ranges that are worth a second, hedged fetch, because their connection is slow or silent
/// and another one is idle.
///
/// The number of bytes received twice stays within a budget: the maximum cost of a second fetch is reserved before it
/// starts, and the unused part is returned when it ends. A range that is too large for the budget is split: its later
/// part is taken over instead.
package struct TailPolicy: Hashable, Sendable {
    /// A connection with a remaining range.
    package struct Candidate: Hashable, Sendable {
        /// The id of its fetch.
        package var fetch: Int
        /// The id of its segment.
        package var segment: Int
        /// The missing bytes of the segment.
        package var remain: ByteRange
        /// Bytes per second, smoothed; 0 if none has arrived.
        package var speed: Double
        /// The time since the last byte.
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

    /// The task of an idle connection.
    package enum Work: Hashable, Sendable {
        /// Fetch the rest of a fetch's segment a second time.
        case backup(fetch: Int)
        /// Take over a segment from `offset` on.
        case takeOver(segment: Int, at: Int64)
    }

    /// The number of bytes received twice.
    package private(set) var repeatedBytes: Int64 = 0
    /// The maximum cost of each running second fetch.
    private var reserved: [Int: Int64] = [:]
    /// The number of second fetches that were useless although they had enough time.
    private var failures = 0
    /// The speeds of connections that have ended, in bytes per second, the newest last.
    private var paces: [Double] = []

    /// The maximum number of bytes received twice, for any file size.
    package static let maxBytes: Int64 = 4 << 20
    /// The divisor of the file size that gives the budget.
    package static let part: Int64 = 50
    /// The number of useless second fetches after which none is started.
    private static let maxFailures = 4
    /// Waits are never shortened by less than this.
    private static let minGain: Duration = .milliseconds(100)
    /// The alignment of splits, if possible.
    private static let alignment: Int64 = 16 << 10
    private static let rememberedPaces = 8
    /// The assumed speed of a connection while unknown, in bytes per second.
    private static let guess = 1024.0 * 1024

    /// Makes a policy that has used none of its budget.
    package init() {}

    /// Returns the maximum number of bytes of a file that may be received twice: 2 %, and at most 4 MiB.
    package static func budget(total: Int64) -> Int64 { min(maxBytes, max(0, total) / part) }

    /// Returns the rest of the budget.
    package func left(total: Int64) -> Int64 {
        max(0, Self.budget(total: total) - repeatedBytes - reserved.values.reduce(0, +))
    }

    /// Records that a connection has ended, with its bytes and its time.
    package mutating func didBring(_ bytes: Int64, in time: Duration) {
        guard bytes >= 64 << 10, time > .zero else { return }
        paces = paces.suffix(Self.rememberedPaces - 1) + [Double(bytes) / time.seconds]
    }

    /// Returns the next task, if one is worthwhile: for the connection that would take longest, if a second fetch is
    /// expected to need half of that.
    ///
    /// - Parameters:
    ///   - peers: The speeds of other connections, in bytes per second.
    ///   - latency: The time until a response.
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
        let near = aligned + SegmentPlanner.shift(at: aligned, alignment: Self.alignment)
        let isInside = near > candidate.remain.lowerBound && near < candidate.remain.upperBound
        return .takeOver(segment: candidate.segment, at: isInside ? near : offset)
    }

    /// Returns the expected time of a connection, in seconds.
    ///
    /// One that has been silent for a time is expected to stay silent for as long again; its earlier speed is then
    /// meaningless.
    private func wait(for candidate: Candidate) -> Double {
        let silence = candidate.silence.seconds
        guard candidate.speed > 0 else { return silence }
        return max(Double(candidate.remain.count) / candidate.speed, silence)
    }

    /// Returns the time for which a second fetch may be silent before it is given up, too.
    package func patience(latency: Duration) -> Duration {
        max(.milliseconds(500), latency * 4) * (1 << min(failures, 8))
    }

    /// Starts a second fetch that may cost at most this number of bytes.
    package mutating func begin(_ fetch: Int, bytes: Int64) { reserved[fetch] = max(0, bytes) }

    /// Ends a second fetch.
    ///
    /// - Parameters:
    ///   - repeated: The number of bytes received twice because of it.
    ///   - failed: True if it was useless although it had enough time.
    package mutating func end(_ fetch: Int, repeated: Int64, failed: Bool) {
        guard let maximum = reserved.removeValue(forKey: fetch) else { return }
        repeatedBytes += min(max(0, repeated), maximum)
        if failed { failures += 1 }
    }
}
