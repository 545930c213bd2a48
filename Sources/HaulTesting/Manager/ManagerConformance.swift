import Haul
import HaulCore

/// The exam that every kind of `DownloadManager` passes: a list of checks, each with a manager of its own and a scripted server.
///
/// The tests of a kind run all of `ManagerConformance.checks`, one test per check.
package enum ManagerConformance {
    /// Runs a check's body with a new manager over a server with these resources, and closes both whatever comes of it.
    package typealias MakeSite =
        @Sendable (
            _ resources: [String: Resource],
            _ body: @escaping @Sendable (ManagerConformanceSite) async throws -> Void
        ) async throws -> Void

    /// One promise of a manager and the way to examine it.
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

        /// Examines a manager.
        ///
        /// Throws `ManagerConformanceFailure` when it breaks the promise.
        package func run(_ make: MakeSite) async throws { try await make(resources, body) }
    }

    /// All checks.
    package static let checks = addingChecks + verbChecks + readingChecks + eventChecks

    /// A file that comes whole.
    static let file = Resource.file(seed: 91, size: 300_000)
    /// The same one, of which only so many bytes come.
    static let stalls = file.script { _ in .stall(after: 100_000) }

    /// Throws with a sentence unless the condition holds.
    static func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
        guard condition else { throw ManagerConformanceFailure(description: sentence()) }
    }

    /// Throws unless both are equal.
    static func expect<Value: Equatable>(_ value: Value, is wanted: Value, _ what: String) throws {
        guard value != wanted else { return }
        throw ManagerConformanceFailure(description: "\(what): \(value), not \(wanted)")
    }

    /// The code of what a call throws; nil where it throws nothing.
    static func code(_ body: () async throws(DownloadError) -> Void) async -> DownloadError.Code? {
        do throws(DownloadError) {
            try await body()
            return nil
        } catch {
            return error.code
        }
    }
}
