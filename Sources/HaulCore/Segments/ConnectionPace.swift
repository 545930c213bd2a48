/// Measures the speed of one connection while the connections of a download stay the same.
///
/// It counts from one arrival of bytes to another, because servers send in bursts, and knows how uncertain the result
/// is: by one burst.
struct ConnectionPace: Hashable, Sendable {
    private struct Arrival: Hashable, Sendable {
        var time: Duration
        var received: Int64
    }

    private var began: Arrival?
    private var first: Arrival?
    private var newest: Arrival?
    /// The largest number of bytes that arrived at once.
    private var burst: Int64 = 0
    private var arrivals = 0

    /// A speed in bytes per second, and its bounds.
    struct Speed: Hashable, Sendable {
        var value = 0.0
        var low = 0.0
        var high = 0.0
        /// True if the value was measured from one burst to another.
        var isRegular = true

        /// The possible error as a fraction of the value.
        var error: Double { value > 0 ? (high - low) / 2 / value : 1 }

        static func += (sum: inout Speed, other: Speed) {
            (sum.value, sum.low, sum.high) = (sum.value + other.value, sum.low + other.low, sum.high + other.high)
            sum.isRegular = sum.isRegular && other.isRegular
        }

        static func / (speed: Speed, count: Int) -> Speed {
            let count = Double(count)
            return Speed(
                value: speed.value / count, low: speed.low / count, high: speed.high / count,
                isRegular: speed.isRegular)
        }
    }

    /// Adds the number of bytes received so far.
    mutating func add(_ received: Int64, now: Duration) {
        let arrival = Arrival(time: now, received: received)
        guard let began else { return self.began = arrival }
        let before = newest?.received ?? began.received
        guard received > before else { return }
        burst = max(burst, received - before)
        arrivals += 1
        first = first ?? arrival
        newest = arrival
    }

    /// Returns the speed; nil if the measurement is shorter than `minimum`.
    func speed(minimum: Duration, now: Duration) -> Speed? {
        guard let began, now - began.time >= minimum else { return nil }
        let seconds = (now - began.time).seconds
        let received = (newest ?? began).received - began.received
        var speed = Speed(isRegular: arrivals > 1)
        speed.low = Double(max(0, received - burst)) / seconds
        speed.high = Double(received + burst) / seconds
        speed.value = Double(received) / seconds
        if let first, let newest, newest.time > first.time {
            let value = Double(newest.received - first.received) / (newest.time - first.time).seconds
            speed.value = min(max(value, speed.low), speed.high)
        }
        return speed
    }
}
