import HTTPTypes
import HaulCore
import HaulLocal
import HaulTestTraits
import HaulTesting
import HaulTransportHTTP
import Synchronization
import Testing

@Suite("The simulated system session", .usesSockets)
struct SimulatedSystemSessionTests {
    /// A process that counts the answers to its calls, and those with data.
    private final class Process: SystemSessionDelegate {
        private let state = Mutex((answers: 0, withData: 0))

        var answers: Int { state.withLock { $0.answers } }
        var withData: Int { state.withLock { $0.withData } }

        func received(_ task: SystemTask, total: Int64?, _ response: SystemResponse?) {}
        func delivered(_ task: SystemTask, at path: String, _ response: SystemResponse?) {}
        func completed(_ task: SystemTask, _ failure: SystemFailure?, _ response: SystemResponse?) {}
        func resumeData(_ task: SystemTask, _ data: [UInt8]?, _ response: SystemResponse?) {
            state.withLock { state in
                state.answers += 1
                if data != nil { state.withData += 1 }
            }
        }
        func reportedAll(answer: @escaping @Sendable () -> Void) { answer() }
    }

    @Test("what is left of a process that was killed gets an answer to its calls, and nothing else")
    func answersAfterTheEnd() async throws {
        let session = try SimulatedSystemSession(seed: 1, transport: HTTPTransport(HTTPTransportConfiguration()))
        let process = Process()
        session.attach(process)
        // As a run that is being stopped asks, while the test kills its manager.
        session.cancelKeeping(SystemTaskID(rawValue: 1))
        await session.leave()
        session.cancelKeeping(SystemTaskID(rawValue: 2))
        // Answers come before what is asked for later.
        _ = await session.tasks()
        #expect(process.answers == 2)
        #expect(process.withData == 0)
        await session.end()
    }
}
