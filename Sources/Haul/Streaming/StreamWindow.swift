import HaulCore
import HaulFiles
import Synchronization

/// The bytes of a stream between the connections that write them, in any order, and the receiver that gets them in order.
///
///     connections ── write ──► ring of `size` bytes ── next ──► receiver
///                    (as far as there is room)        │
///                                                     └─ digest of all that was handed out
///
/// Writers copy outside of the lock: the bytes of a range are one connection's until they are written, then the receiver's.
final class StreamWindow: Sendable {
    private struct State {
        var ledger: ByteWindow
        var notify: RingBuffer?
        /// How many bytes the file has, once all of them are written.
        var total: Int64?
        var isOver = false
        /// The first bytes of the file, as many as were written in order, up to 64 KiB.
        var start: [UInt8] = []
        /// Released bytes that the planner was told of.
        var reported: Int64 = 0
        var reader: CheckedContinuation<Void, Never>?
        var finisher: CheckedContinuation<Bool, Never>?
    }

    /// What `next` finds.
    private enum Step {
        case chunk(ByteRange, RingBuffer)
        case wait
        case over
    }

    /// A lock that keeps a bare function would have it wrapped once more by each look at it.
    private struct Listener: Sendable {
        var receive: @Sendable (Int64) -> Void
    }

    /// How far ahead of the receiver is fetched, in bytes.
    let size: Int64
    private let state: Mutex<State>
    private let digest: Mutex<StreamingDigest?>
    private let listener = Mutex(Listener(receive: { _ in }))

    /// The receiver gets at most this many bytes at once.
    static let chunkBytes: Int64 = 256 << 10
    /// So many bytes behind the receiver are kept, for answers that have to prove by an overlap that they are of the same version.
    static let keptBytes: Int64 = 64 << 10

    /// Makes a window; with an algorithm it computes the digest of what it hands out.
    init(size: Int64, _ algorithm: Checksum.Algorithm?) {
        self.size = max(1, size)
        state = Mutex(State(ledger: ByteWindow(size: size)))
        digest = Mutex(algorithm.map { StreamingDigest($0) })
    }

    /// Who is told, now and then, up to where the receiver is done: there is room again.
    func report(_ listener: @escaping @Sendable (Int64) -> Void) { self.listener.withLock { $0.receive = listener } }

    /// What the receiver is done with.
    var released: Int64 { state.withLock { $0.ledger.released } }

    /// Begins with a version of the file.
    ///
    /// - Throws: `DownloadError` with code `sourceChanged` where bytes of an earlier one were handed out.
    func begin(total: Int64?) throws(DownloadError) {
        let bytes = min(size, total ?? size).addingReportingOverflow(Self.keptBytes).partialValue
        let isClean = state.withLock { state in
            guard state.ledger.handedOut == 0 else { return false }
            state.ledger = ByteWindow(size: size)
            state.start = []
            state.notify = RingBuffer(capacity: Int(clamping: bytes))
            return true
        }
        guard isClean else { throw .streamChanged }
    }
}

/// The connections' end.
extension StreamWindow {
    /// Copies the bytes that there is room for, from the first one on.
    ///
    /// - Returns: how many those are.
    func write(_ bytes: RawSpan, at offset: Int64) -> Int {
        let (notify, room) = state.withLock { state in (state.notify, state.ledger.room(at: offset)) }
        guard let notify, room > 0 else { return 0 }
        let count = Int(min(room, Int64(bytes.byteCount)))
        notify.put(bytes.extracting(first: count), at: offset)
        let reader = state.withLock { state in
            keepStart(bytes.extracting(first: count), at: offset, &state)
            let before = state.ledger.contiguousPrefix
            state.ledger.didWrite(ByteRange(from: offset, to: offset + Int64(count)))
            return state.ledger.contiguousPrefix > before ? state.reader.take() : nil
        }
        reader?.resume()
        return count
    }

    private func keepStart(_ bytes: RawSpan, at offset: Int64, _ state: inout State) {
        guard offset == state.start.count, offset < Self.keptBytes else { return }
        let room = Int(Self.keptBytes) - state.start.count
        // Safe: the span is valid for the whole call and the array copies it.
        unsafe bytes.extracting(first: min(room, bytes.byteCount)).withUnsafeBytes {
            unsafe state.start.append(contentsOf: $0)
        }
    }

    /// Whether the file may have these bytes at an offset near its start; of what is not kept, nobody knows.
    func mayBegin(with bytes: RawSpan, at offset: Int64) -> Bool {
        let start = state.withLock { $0.start }
        guard offset + Int64(bytes.byteCount) <= start.count else { return true }
        // Safe: the span is valid for the whole call.
        return unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(start[Int(offset)..<Int(offset) + $0.count]) }
    }

    /// Whether these bytes stand at an offset, of which the last 64 KiB before the receiver are known.
    func holds(_ bytes: RawSpan, at offset: Int64) -> Bool {
        guard let notify = state.withLock({ $0.notify }) else { return false }
        let there = notify.bytes(at: offset, count: bytes.byteCount)
        // Unsafe: the span is valid for the whole call.
        return unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(there) }
    }
}

/// The receiver's end.
extension StreamWindow {
    /// The next bytes, when they are there; nil at the end, and where there will be none.
    ///
    /// The receiver is done with those of the call before. One call at a time.
    func next() async -> [UInt8]? {
        while true {
            let (step, released) = state.withLock { state in (Self.step(&state), news(&state)) }
            if let released { listener.withLock { $0 }.receive(released) }
            settle()
            switch step {
            case .chunk(let range, let notify):
                let chunk = notify.bytes(at: range.lowerBound, count: Int(range.count))
                // The bytes of an array of integers are initialised, and the span ends before the array does.
                digest.withLock { unsafe $0?.update(chunk.span.bytes) }
                return chunk
            case .over: return nil
            case .wait: await wait()
            }
        }
    }

    private static func step(_ state: inout State) -> Step {
        let range = state.ledger.handOut(atMost: chunkBytes)
        guard !state.isOver, let notify = state.notify else { return state.isOver ? .over : .wait }
        return range.map { .chunk($0, notify) } ?? .wait
    }

    /// What was released, if that is enough to be told.
    private func news(_ state: inout State) -> Int64? {
        guard state.ledger.released - state.reported >= max(1, size / 32) else { return nil }
        state.reported = state.ledger.released
        return state.reported
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard !state.isOver, state.ledger.contiguousPrefix == state.ledger.handedOut else { return true }
                state.reader = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}

/// The end.
extension StreamWindow {
    /// Waits until the receiver is done with all of the file.
    ///
    /// - Returns: the digest, if one is computed; nothing where the stream was ended before.
    func drain(_ total: Int64) async -> (isWhole: Bool, hex: String?) {
        let isWhole = await withCheckedContinuation { continuation in
            state.withLock { state in
                state.total = total
                state.finisher = continuation
            }
            settle()
        }
        return (isWhole, isWhole ? digest.withLock { $0?.finalize() } : nil)
    }

    /// Nothing more is handed out.
    func end() {
        let reader = state.withLock { state in
            state.isOver = true
            return state.reader.take()
        }
        reader?.resume()
        settle()
    }

    /// Answers who waits for the end, once it is there.
    private func settle() {
        let (finisher, isWhole) = state.withLock { state -> (CheckedContinuation<Bool, Never>?, Bool) in
            let isWhole = state.total.map { state.ledger.released >= $0 } ?? false
            return isWhole || state.isOver ? (state.finisher.take(), isWhole) : (nil, false)
        }
        finisher?.resume(returning: isWhole)
    }
}
