import HTTPTypes
import HaulTransport
import Synchronization

/// A sink that records its calls, and checks their order.
final class TransportConformanceSink: TransferSink {
    /// The calls so far.
    struct Record: Sendable {
        var head: HTTPResponse?
        var byteCount = 0
        var bodyCalls = 0
        var wakes = 0
        /// The first bytes of the body.
        var text = ""
        var outcome: TransferOutcome?
        /// The violations of the protocol of `TransferSink`, and bytes that differ from the pattern.
        var violations: [String] = []
        var isInCall = false
    }

    private struct Waiter {
        var isDone: @Sendable (Record) -> Bool
        var continuation: CheckedContinuation<Record?, Never>
    }

    private struct State {
        var record = Record()
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())
    private let checksPattern: Bool
    private let onHead: @Sendable (HTTPResponse) -> HeadVerdict
    private let onBody: @Sendable (Record) -> BodyVerdict
    private let onWake: @Sendable (Record) -> BodyVerdict

    /// Makes a sink; the closures get the record after the call that asks for the verdict.
    init(
        checksPattern: Bool = true, head: @escaping @Sendable (HTTPResponse) -> HeadVerdict = { _ in .accept },
        body: @escaping @Sendable (Record) -> BodyVerdict = { _ in .more },
        woken: @escaping @Sendable (Record) -> BodyVerdict = { _ in .more }
    ) {
        self.checksPattern = checksPattern
        onHead = head
        onBody = body
        onWake = woken
    }

    /// Returns the byte at a position of the bodies that the scripts send.
    ///
    /// Its period is prime, so that swapped buffers are always noticed.
    static func pattern(at position: Int) -> UInt8 {
        UInt8(position % 251)
    }

    /// The record so far.
    var record: Record { state.withLock { $0.record } }

    // MARK: TransferSink

    func head(_ response: HTTPResponse) -> HeadVerdict {
        enter("head") { record in
            if record.head != nil { record.violations.append("two heads") }
            record.head = response
        }
        defer { leave() }
        return onHead(response)
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        let record = enter("body") { record in
            if record.head == nil { record.violations.append("body before head") }
            if bytes.byteCount == 0 { record.violations.append("an empty body call") }
            note(bytes, in: &record)
        }
        defer { leave() }
        return onBody(record)
    }

    func woken() -> BodyVerdict {
        let record = enter("woken") { $0.wakes += 1 }
        defer { leave() }
        return onWake(record)
    }

    func finished(_ outcome: TransferOutcome) {
        enter("finished") { $0.outcome = outcome }
        leave()
    }

    private func note(_ bytes: RawSpan, in record: inout Record) {
        // Every byte of small pieces, but only the ends of large ones, since debug builds are slow.
        let count = bytes.byteCount
        let looked = count <= 512 ? Array(0..<count) : Array(0..<256) + Array(count - 256..<count)
        for index in looked {
            let byte = bytes.unsafeLoadByte(at: index)
            if record.text.utf8.count < 256 { record.text.unicodeScalars.append(Unicode.Scalar(byte)) }
            guard checksPattern, byte != Self.pattern(at: record.byteCount + index) else { continue }
            record.violations.append("wrong byte at \(record.byteCount + index)")
            break
        }
        record.byteCount += count
        record.bodyCalls += 1
    }

    @discardableResult
    private func enter(_ name: String, _ change: (inout Record) -> Void) -> Record {
        state.withLock { state in
            if state.record.isInCall { state.record.violations.append("\(name) inside another call") }
            if let outcome = state.record.outcome {
                state.record.violations.append("\(name) after finished(\(outcome))")
            }
            change(&state.record)
            state.record.isInCall = true
            return state.record
        }
    }

    private func leave() {
        let (record, done) = state.withLock { state in
            state.record.isInCall = false
            let record = state.record
            let done = state.waiters.filter { $0.value.isDone(record) }
            for id in done.keys { state.waiters[id] = nil }
            return (record, done.values.map(\.continuation))
        }
        for continuation in done { continuation.resume(returning: record) }
    }

    // MARK: Waiting

    /// The longest wait for anything: long enough for a machine that is busy with other tests.
    static let limit = Duration.seconds(120)

    /// Waits until the record is as expected.
    ///
    /// - Throws: `TransportConformanceFailure` if the transfer ends before that, or the time limit is reached.
    @discardableResult
    func wait(
        _ what: String, within limit: Duration = limit, until isDone: @escaping @Sendable (Record) -> Bool
    )
        async throws -> Record
    {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                let last = await self.suspend { isDone($0) || $0.outcome != nil }
                guard let last, !isDone(last) else { return }
                throw TransportConformanceFailure("the transfer ended before \(what); heard \(last)")
            }
            tasks.addTask {
                try await Task.sleep(for: limit)
                throw TransportConformanceFailure("waited \(limit) for \(what) in vain; heard \(self.record)")
            }
            try await tasks.next()
            tasks.cancelAll()
        }
        return record
    }

    /// Waits until a stream ends, which the server's script finishes.
    ///
    /// - Throws: Like `wait(_:within:until:)`.
    func wait(_ what: String, end stream: AsyncStream<Void>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { for await _ in stream {} }
            tasks.addTask { try await self.wait(what) { _ in false } }
            try await tasks.next()
            tasks.cancelAll()
        }
    }

    /// Waits for the end of the transfer.
    @discardableResult
    func outcome(within limit: Duration = limit) async throws -> TransferOutcome {
        let record = try await wait("the end", within: limit) { $0.outcome != nil }
        return record.outcome ?? .cancelled
    }

    /// Suspends until the record is as expected, and returns it as it was then; nil if the task is cancelled.
    private func suspend(until isDone: @escaping @Sendable (Record) -> Bool) async -> Record? {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isOver, record) = state.withLock { state -> (Bool, Record?) in
                    if Task.isCancelled { return (true, nil) }
                    if !state.record.isInCall && isDone(state.record) { return (true, state.record) }
                    state.waiters[id] = Waiter(isDone: isDone, continuation: continuation)
                    return (false, nil)
                }
                if isOver { continuation.resume(returning: record) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: nil)
        }
    }
}

extension RawSpan {
    fileprivate func unsafeLoadByte(at offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount)
        // Checked above; the safe loads of single bytes are newer than this toolchain.
        return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }
}
