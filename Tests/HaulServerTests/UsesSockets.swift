import HaulTesting
import Testing

/// A case that opens sockets: only so many run at once.
struct UsesSockets: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await SocketGate.shared.pass(function)
    }
}

extension Trait where Self == UsesSockets {
    /// A case that opens sockets.
    static var usesSockets: Self { Self() }
}
