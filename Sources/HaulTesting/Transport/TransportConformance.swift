public import HaulTransport

/// The test suite for every `Transport`: a list of checks, each against a scripted server on 127.0.0.1.
///
/// A transport's tests run all of `TransportConformance.checks`, one test per check.
public enum TransportConformance {
    /// Makes a new transport for one check, which shuts it down.
    public typealias MakeTransport = @Sendable () throws -> any Transport

    /// One promise of a transport, and the check of it.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise in a few words.
        public let description: String
        /// Checks a transport.
        ///
        /// Throws `TransportConformanceFailure` if the promise is broken.
        public let run: @Sendable (MakeTransport) async throws -> Void
    }

    /// All checks.
    public static let checks = checks(largeHeadBytes: 750_000)

    /// Returns all checks, for a transport that accepts heads up to a size.
    public static func checks(largeHeadBytes: Int) -> [Check] {
        bodyChecks + verdictChecks + pauseChecks + cancelChecks + faultChecks + [largeHeadCheck(largeHeadBytes)]
            + requestChecks + loadChecks
    }

    /// The checks that depend on threads and buffer sizes.
    public static let trafficChecks = bodyChecks + pauseChecks + loadChecks

    /// Throws an error with the sentence unless the condition holds.
    static func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
        guard condition else { throw TransportConformanceFailure(sentence()) }
    }

    /// Throws an error unless both values are equal.
    static func expect<Value: Equatable>(_ value: Value, is wanted: Value, _ what: String) throws {
        guard value != wanted else { return }
        throw TransportConformanceFailure("\(what): \(value), not \(wanted)")
    }

    /// Returns a result and the time that it took.
    static func time<Result>(_ body: () async throws -> Result) async throws -> (Result, Duration) {
        let start = ContinuousClock.now
        let result = try await body()
        return (result, ContinuousClock.now - start)
    }
}

/// A promise that a transport did not keep.
public struct TransportConformanceFailure: Error, CustomStringConvertible {
    /// A description of what happened instead.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
