import HaulTesting
package import Testing

/// A case that opens sockets: only so many run at once.
package struct UsesSockets: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await SocketGate.shared.pass(function)
    }
}

extension Trait where Self == UsesSockets {
    /// A case that opens sockets.
    package static var usesSockets: Self { Self() }
}
