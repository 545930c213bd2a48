/// Why a connection is held back: what each of its limits wants earned before more is read.
///
/// The longest delay counts.
struct RateHold {
    private var marks: [(limiter: RateLimiter, mark: Double)] = []

    /// Takes bytes from all limits; nil where none of them holds back.
    init?(_ bytes: Int, from limiters: [RateLimiter]) {
        for limiter in limiters {
            guard let mark = limiter.take(bytes) else { continue }
            marks.append((limiter, mark))
        }
        if marks.isEmpty { return nil }
    }

    /// How long nothing may be read, as the limits are now.
    var delay: Duration { marks.map { $0.limiter.delay(until: $0.mark) }.max() ?? .zero }
}
