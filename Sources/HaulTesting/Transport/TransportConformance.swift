package import HaulTransport

/// The exam that every `Transport` passes: a list of checks, each against a scripted server on 127.0.0.1.
///
/// A transport's tests run all of `TransportConformance.checks`, one test per check.
package enum TransportConformance {
    /// Makes a new transport for one check, which shuts it down.
    package typealias MakeTransport = @Sendable () throws -> any Transport

    /// One promise of a transport and the way to examine it.
    package struct Check: Sendable, CustomStringConvertible {
        /// The promise in a few words.
        package let description: String
        /// Examines a transport.
        ///
        /// Throws `TransportConformanceFailure` when it breaks the promise.
        package let run: @Sendable (MakeTransport) async throws -> Void
    }

    /// All checks.
    package static let checks = checks(largeHeadBytes: 750_000)

    /// All checks, for a transport that takes heads up to so many bytes.
    package static func checks(largeHeadBytes: Int) -> [Check] {
        bodyChecks + verdictChecks + pauseChecks + cancelChecks + faultChecks + [largeHeadCheck(largeHeadBytes)]
            + requestChecks + loadChecks
    }

    /// Those that threads and buffer sizes matter to.
    package static let trafficChecks = bodyChecks + pauseChecks + loadChecks

    /// Throws with a sentence unless the condition holds.
    static func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
        guard condition else { throw TransportConformanceFailure(sentence()) }
    }

    /// Throws unless both are equal.
    static func expect<Value: Equatable>(_ value: Value, is wanted: Value, _ what: String) throws {
        guard value != wanted else { return }
        throw TransportConformanceFailure("\(what): \(value), not \(wanted)")
    }

    /// The time that something takes.
    static func time<Result>(_ body: () async throws -> Result) async throws -> (Result, Duration) {
        let start = ContinuousClock.now
        let result = try await body()
        return (result, ContinuousClock.now - start)
    }
}

/// A promise that a transport broke.
package struct TransportConformanceFailure: Error, CustomStringConvertible {
    /// What happened instead.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
