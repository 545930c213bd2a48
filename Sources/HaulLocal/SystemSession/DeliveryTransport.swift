import Dispatch
import HTTPTypes
import HaulCore
import HaulFiles
package import HaulTransport
import Synchronization

/// The files that the system has delivered, as the engine reads them: by a number in a header of the request.
package final class DeliveryTable: Sendable {
    /// A file, and the response that it came with.
    struct Delivery: Sendable {
        var path: String
        var head: HTTPResponse
    }

    private let state = Mutex<(last: Int, deliveries: [String: Delivery])>((0, [:]))

    /// Creates an empty table.
    package init() {}

    /// Adds a file, or none, and returns its number.
    func add(_ delivery: Delivery?) -> String {
        state.withLock { state in
            state.last += 1
            state.deliveries["\(state.last)"] = delivery
            return "\(state.last)"
        }
    }

    func remove(_ number: String) { state.withLock { _ = $0.deliveries.removeValue(forKey: number) } }

    subscript(number: String) -> Delivery? { state.withLock { $0.deliveries[number] } }
}

/// A transport that reads delivered files instead of the network, and passes all other requests on.
///
/// So the engine does with a delivered file what it does with any response: it chooses the name, checks size and digests,
/// and gives the file its name when it is durable.
package struct DeliveryTransport: Transport {
    static let header = "Haul-Delivery"
    private static let name = HTTPField.Name(header)

    private let table: DeliveryTable
    private let others: any Transport

    /// Creates a transport over another one.
    package init(_ table: DeliveryTable, others: any Transport) { (self.table, self.others) = (table, others) }

    package func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        guard let name = Self.name, let number = request.headers[name] else {
            return others.start(request, sink: sink)
        }
        let transfer = DeliveryTransfer(request, table[number], sink)
        transfer.begin()
        return transfer
    }

    package func shutdown() async { await others.shutdown() }
}

/// The transfer of a delivered file; everything happens on its own queue.
final class DeliveryTransfer: TransferHandle {
    private enum Phase {
        case waiting
        case sending(OpenFile, ByteRange)
        case ended
    }

    private struct State {
        var phase = Phase.waiting
        var isPaused = false
        /// Counts the pauses, so that the end of an earlier one has no effect.
        var pauses = 0
    }

    private static let chunk = 256 << 10

    private let queue = DispatchQueue(label: "haul.delivery")
    private let state = Mutex(State())
    private let request: TransferRequest
    private let delivery: DeliveryTable.Delivery?
    private let sink: any TransferSink
    private let system = SystemCalls.live

    init(_ request: TransferRequest, _ delivery: DeliveryTable.Delivery?, _ sink: any TransferSink) {
        (self.request, self.delivery, self.sink) = (request, delivery, sink)
    }

    func begin() { queue.async { self.sendHead() } }

    func cancel() { queue.async { self.finish(.cancelled) } }

    func wake() {
        queue.async {
            guard !self.isOver else { return }
            let wasPaused = self.state.withLock { $0.isPaused }
            let verdict = self.sink.woken()
            // Without a pause, the next piece is queued already.
            if verdict != .more || wasPaused { self.obey(verdict) }
        }
    }

    // MARK: - On the queue

    private var isOver: Bool {
        state.withLock { if case .ended = $0.phase { true } else { false } }
    }

    private func sendHead() {
        guard !isOver else { return }
        guard let delivery, let file = try? system.open(delivery.path, .read), let size = try? system.status(file).size
        else { return finish(.failed(TransportError(.unusable, "the file that was delivered does not exist"))) }
        let (head, range) = Self.response(delivery.head, size: size, to: request.headers)
        guard sink.head(head) == .accept else { return finish(.rejected) }
        state.withLock { $0.phase = .sending(file, range) }
        sendMore()
    }

    /// Returns the response to a request for the file, or a part of it, as a server gives it (RFC 9110, 14.2 and 13.1.5).
    static func response(
        _ head: HTTPResponse, size: Int64, to headers: HTTPFields
    ) -> (head: HTTPResponse, range: ByteRange) {
        let whole = ByteRange(from: 0, to: size)
        let validators = [head.headerFields[.eTag], head.headerFields[.lastModified]]
        guard head.status == .ok, let text = headers[.range], let range = range(text, size: size),
            headers[.ifRange].map({ validators.contains($0) }) ?? true
        else { return (head, whole) }
        var part = head
        part.status = .partialContent
        part.headerFields[.contentLength] = "\(range.count)"
        part.headerFields[.contentRange] = ContentRange.range(range, total: size).description
        if let name = HTTPField.Name("Content-MD5") { part.headerFields[name] = nil }
        return (part, range)
    }

    /// Reads a range as the engine requests it: `bytes=5-` or `bytes=5-9`; nil if it is another one, or not in the file.
    private static func range(_ text: String, size: Int64) -> ByteRange? {
        guard text.hasPrefix("bytes=") else { return nil }
        let bounds = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Int64(bounds[0]), first < size else { return nil }
        guard !bounds[1].isEmpty else { return ByteRange(from: first, to: size) }
        guard let last = Int64(bounds[1]), last >= first else { return nil }
        return ByteRange(from: first, to: min(last, size - 1) + 1)
    }

    /// Sends the next piece.
    private func sendMore() {
        guard case .sending(let file, let rest) = state.withLock({ $0.isPaused ? .ended : $0.phase }) else { return }
        guard !rest.isEmpty else { return finish(.complete) }
        let size = Int(min(rest.count, Int64(max(1, min(Self.chunk, request.largestRead?() ?? .max)))))
        // Safe: `read` writes no more than the buffer holds, and returns the number of bytes that it wrote.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count =
                unsafe (try? system.read(file, into: UnsafeMutableRawBufferPointer(buffer), at: rest.lowerBound)) ?? 0
        }
        guard !bytes.isEmpty else { return finish(.failed(TransportError(.cut, "the delivered file can't be read"))) }
        state.withLock {
            $0.phase = .sending(file, ByteRange(from: rest.lowerBound + Int64(bytes.count), to: rest.upperBound))
        }
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        let verdict = unsafe sink.body(bytes.span.bytes)
        obey(verdict)
    }

    private func obey(_ verdict: BodyVerdict) {
        switch verdict {
        case .more:
            state.withLock { $0.isPaused = false }
            // Between two pieces there is a turn for `cancel` and `wake`.
            queue.async { self.sendMore() }
        case .pause: state.withLock { $0.isPaused = true }
        case .pauseFor(let time):
            let number = state.withLock { state in
                state.isPaused = true
                state.pauses += 1
                return state.pauses
            }
            let (seconds, attoseconds) = time.components
            let delay = Double(seconds) + Double(attoseconds) / 1e18
            queue.asyncAfter(deadline: .now() + delay) {
                let isOver = self.state.withLock { state in
                    guard state.isPaused, state.pauses == number else { return false }
                    state.isPaused = false
                    return true
                }
                if isOver { self.sendMore() }
            }
        case .enough: finish(.enough)
        }
    }

    private func finish(_ outcome: TransferOutcome) {
        guard !isOver else { return }
        state.withLock { $0.phase = .ended }
        sink.finished(outcome)
    }
}
