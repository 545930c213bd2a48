/// Measures what comes per second, from one arrival of bytes to another.
///
/// A server may send in bursts: over one of them, or one and a half, it would seem to give anything. So what is watched spans several.
struct PaceWindow: Hashable, Sendable {
    private struct Arrival: Hashable, Sendable {
        var time: Duration
        var received: Int64
    }

    private var first: Arrival?
    private var newest: Arrival?
    private var isSilent = false
    /// The longest time without bytes in the window before, and in this one.
    private var gapBefore: Duration = .zero
    private var gap: Duration = .zero

    /// How many times the longest gap between two arrivals is watched.
    private static let gapsWatched = 4
    /// A gap that is longer is a stall, and no burst.
    private static let maxGap: Duration = .seconds(1)

    /// Notes how much has come.
    ///
    /// - Parameter least: How long it is watched at least.
    /// - Returns: bytes per second, once it has been watched for long enough: then the next window begins. nil before.
    mutating func add(_ received: Int64, minimum: Duration, now: Duration) -> Double? {
        let came = note(received, now: now)
        guard let first, let newest else {
            if came { first = newest }
            return nil
        }
        let silence = min(now - newest.time, Self.maxGap)
        // It ends with an arrival, too; where nothing comes any more, that is what is found.
        let wanted = max(minimum, max(gapBefore, gap, silence) * Self.gapsWatched)
        guard came || silence == Self.maxGap, now - first.time >= wanted else { return nil }
        (self.first, gapBefore, gap) = (nil, gap, .zero)
        return Double(received - first.received) / (now - first.time).seconds
    }

    /// Forgets what it has begun with.
    mutating func stop() { (first, newest, isSilent) = (nil, nil, false) }

    /// Whether bytes have come since the last look.
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
