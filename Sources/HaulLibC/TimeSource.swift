package import Dispatch

/// The clocks that an engine and a manager use: those of the system, or, in tests, one that is moved by hand.
package struct TimeSource: Sendable {
    /// The clocks of a test.
    package struct Substitute: Sendable {
        /// Returns the present instant.
        package var now: @Sendable () -> ContinuousClock.Instant
        /// Returns the milliseconds since 1970.
        package var milliseconds: @Sendable () -> Int64
        /// Sleeps until an instant; throws `CancellationError` if the task is cancelled.
        package var sleep: @Sendable (ContinuousClock.Instant) async throws -> Void

        /// Creates clocks from their functions.
        package init(
            now: @escaping @Sendable () -> ContinuousClock.Instant, milliseconds: @escaping @Sendable () -> Int64,
            sleep: @escaping @Sendable (ContinuousClock.Instant) async throws -> Void
        ) {
            (self.now, self.milliseconds, self.sleep) = (now, milliseconds, sleep)
        }
    }

    /// The clocks of the system.
    package static let system = TimeSource(substitute: nil)

    private let substitute: Substitute?

    private init(substitute: Substitute?) { self.substitute = substitute }

    /// Creates a source from other clocks than the system's.
    package init(_ substitute: Substitute) { self.init(substitute: substitute) }

    /// The present instant.
    package var now: ContinuousClock.Instant { substitute.map { $0.now() } ?? .now }

    /// Returns the milliseconds since 1970.
    package func milliseconds() -> Int64 { substitute.map { $0.milliseconds() } ?? WallClock.milliseconds() }

    /// Returns the seconds since 1970.
    package func seconds() -> Int64 { milliseconds() / 1000 }

    /// Returns the seconds since 1970, and the seconds by which local time is ahead of UTC; substitutes are in UTC.
    package func timeOfDay() -> (instant: Int64, utcOffset: Int) {
        substitute.map { ($0.milliseconds() / 1000, 0) } ?? WallClock.timeOfDay()
    }

    /// Sleeps until an instant.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func sleep(until instant: ContinuousClock.Instant) async throws {
        guard let substitute else { return try await Task.sleep(until: instant, clock: .continuous) }
        try await substitute.sleep(instant)
    }

    /// Calls a function on a queue at an instant, or as soon as possible after it.
    package func call(
        at instant: ContinuousClock.Instant, on queue: DispatchQueue, _ function: @escaping @Sendable () -> Void
    ) {
        guard let substitute else {
            let (seconds, attoseconds) = max(.zero, instant - .now).components
            let delay = DispatchTimeInterval.nanoseconds(
                Int(min(seconds, 1_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000))
            return queue.asyncAfter(deadline: .now() + delay, execute: function)
        }
        Task {
            guard (try? await substitute.sleep(instant)) != nil else { return }
            queue.async(execute: function)
        }
    }
}
