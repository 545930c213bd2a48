public import HaulTransport

/// The test suite for every `Transport`: a list of checks, each against a scripted server on 127.0.0.1.
///
/// A transport's tests run all of `TransportConformance.checks`, one test per check.
public enum TransportConformance {
    /// Makes a new transport for one check, which shuts it down.
    public typealias MakeTransport = @Sendable () throws -> any Transport

    /// An ability that a transport may lack, because the library that it uses does not support it.
    ///
    /// Such a transport works, with more memory, later errors or fewer options. The checks that need something that it
    /// lacks are left out.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Ability: String, Sendable, Hashable, CaseIterable {
        /// A paused sink keeps the server from sending.
        case backPressure
        /// Requests have the headers that are given, and no other.
        case exactHeaders
        /// The path and the query are sent as they are given.
        case exactTargets
        /// A compressed body is delivered as it is sent.
        case rawBodies
        /// Fields after a chunked body do no harm.
        case trailers
        /// Certificates need not be verified.
        case unverifiedCertificates
        /// The time until there is a connection is limited.
        case timeToConnect
        /// Responses that are not valid HTTP are distinguished from broken connections.
        case invalidResponses
        /// A connection is used for several requests.
        case keptConnections
    }

    /// One promise of a transport, and the check of it.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise in a few words.
        public let description: String
        /// The abilities that a transport needs to keep the promise.
        public let needs: Set<Ability>
        /// Checks a transport.
        ///
        /// Throws `TransportConformanceFailure` if the promise is broken.
        public let run: @Sendable (MakeTransport) async throws -> Void

        init(
            description: String, needs: Set<Ability> = [], run: @escaping @Sendable (MakeTransport) async throws -> Void
        ) {
            (self.description, self.needs, self.run) = (description, needs, run)
        }
    }

    /// All checks.
    public static let checks = checks(largeHeadBytes: 750_000)

    /// Returns all checks, for a transport that accepts heads up to a size, and lacks some abilities.
    public static func checks(largeHeadBytes: Int = 750_000, lacking: Set<Ability> = []) -> [Check] {
        let all =
            bodyChecks + verdictChecks + pauseChecks + cancelChecks + faultChecks + [largeHeadCheck(largeHeadBytes)]
            + requestChecks + loadChecks
        return all.filter { $0.needs.isDisjoint(with: lacking) }
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
