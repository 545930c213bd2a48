import Haul
import HaulCore

/// The test suite for every kind of `DownloadManager`: a list of checks, each with its own manager and a scripted
/// server.
///
/// The tests of a kind run all of `ManagerConformance.checks`, one test per check.
package enum ManagerConformance {
    /// Runs a check's body with a new manager and a server with these resources, and closes both in any case.
    package typealias MakeSite =
        @Sendable (
            _ resources: [String: Resource],
            _ body: @escaping @Sendable (ManagerConformanceSite) async throws -> Void
        ) async throws -> Void

    /// One promise of a manager, and the check of it.
    package struct Check: Sendable, CustomStringConvertible {
        /// The promise in a few words.
        package let description: String
        let resources: [String: Resource]
        let body: @Sendable (ManagerConformanceSite) async throws -> Void

        init(
            _ description: String, _ resources: [String: Resource],
            _ body: @escaping @Sendable (ManagerConformanceSite) async throws -> Void
        ) {
            (self.description, self.resources, self.body) = (description, resources, body)
        }

        /// Checks a manager.
        ///
        /// Throws `ManagerConformanceFailure` if the promise is broken.
        package func run(_ make: MakeSite) async throws { try await make(resources, body) }
    }

    /// All checks.
    package static let checks = addingChecks + verbChecks + readingChecks + eventChecks

    /// A file that is sent completely.
    static let file = Resource.file(seed: 91, size: 300_000)
    /// The same file, of which only the first 100,000 bytes are sent.
    static let stalls = file.script { _ in .stall(after: 100_000) }

    /// Throws an error with the sentence unless the condition holds.
    static func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
        guard condition else { throw ManagerConformanceFailure(description: sentence()) }
    }

    /// Throws an error unless both values are equal.
    static func expect<Value: Equatable>(_ value: Value, is wanted: Value, _ what: String) throws {
        guard value != wanted else { return }
        throw ManagerConformanceFailure(description: "\(what): \(value), not \(wanted)")
    }

    /// Returns the code of the error that a call throws; nil if it throws none.
    static func code(_ body: () async throws -> Void) async -> DownloadError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? DownloadError)?.code ?? .internal
        }
    }
}

/// A promise that a manager did not keep.
package struct ManagerConformanceFailure: Error, CustomStringConvertible {
    /// A description of what happened instead.
    package let description: String
}
