/// Measures the throughput between arrivals of bytes.
///
/// A server may send in bursts. Measured over one or two of them, any throughput seems possible, so a window spans
/// several.
struct PaceWindow: Hashable, Sendable {
    private struct Arrival: Hashable, Sendable {
        var time: Duration
        var received: Int64
    }

    private var first: Arrival?
    private var newest: Arrival?
    private var isSilent = false
    /// The longest time without bytes in the previous window, and in this one.
    private var gapBefore: Duration = .zero
    private var gap: Duration = .zero

    /// The minimum window in multiples of the longest gap between two arrivals.
    private static let gapsWatched = 4
    /// A longer gap is a stall, not a burst.
    private static let maxGap: Duration = .seconds(1)

    /// Adds the number of bytes received so far.
    ///
    /// - Parameter minimum: The minimum length of the window.
    /// - Returns: Bytes per second once the window is long enough, which starts the next window; otherwise nil.
    mutating func add(_ received: Int64, minimum: Duration, now: Duration) -> Double? {
        let came = note(received, now: now)
        guard let first, let newest else {
            if came { first = newest }
            return nil
        }
        let silence = min(now - newest.time, Self.maxGap)
        // A window also ends with an arrival; if nothing arrives any more, that is the result.
        let wanted = max(minimum, max(gapBefore, gap, silence) * Self.gapsWatched)
        guard came || silence == Self.maxGap, now - first.time >= wanted else { return nil }
        (self.first, gapBefore, gap) = (nil, gap, .zero)
        return Double(received - first.received) / (now - first.time).seconds
    }

    /// Discards the current window.
    mutating func stop() { (first, newest, isSilent) = (nil, nil, false) }

    /// Returns true if bytes have arrived since the last call.
    private mutating func note(_ received: Int64, now: Duration) -> Bool {
        guard received > newest?.received ?? -1 else {
            isSilent = true
            return false
        }
        if isSilent, let newest { gap = max(gap, min(now - newest.time, Self.maxGap)) }
        (newest, isSilent) = (Arrival(time: now, received: received), false)
        return true
    }
}
