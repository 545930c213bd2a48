import HaulCore
import HaulDigest
import HaulFiles
import Synchronization

/// The bytes of a stream between the connections, which write them in any order, and the receiver, which gets them in
/// order.
///
///     connections ── write ──► ring of `size` bytes ── next ──► receiver
///                    (as far as there is room)        │
///                                                     └─ digest of all that was handed out
///
/// Writers copy outside of the lock: a range of bytes belongs to one connection until it is written, then to the
/// receiver.
final class StreamWindow: Sendable {
    private struct State {
        var ledger: ByteWindow
        var notify: RingBuffer?
        /// The size of the file, once all bytes are written.
        var total: Int64?
        var isOver = false
        /// The first bytes of the file, as far as they were written in order, up to 64 KiB.
        var start: [UInt8] = []
        /// Bytes that responses had beyond the end of their segments, until those of another response are there.
        var surplus = SurplusBytes()
        /// True if such bytes differed.
        var disagrees = false
        /// The released bytes that were reported to the planner.
        var reported: Int64 = 0
        var reader: CheckedContinuation<Void, Never>?
        var finisher: CheckedContinuation<Bool, Never>?
    }

    /// The result of a look for the next bytes.
    private enum Step {
        case chunk(ByteRange, RingBuffer)
        case wait
        case over
    }

    /// A struct, because a bare closure in a lock is re-wrapped on every access.
    private struct Listener: Sendable {
        var receive: @Sendable (Int64) -> Void
    }

    /// The number of bytes fetched ahead of the receiver.
    let size: Int64
    private let state: Mutex<State>
    private let digest: Mutex<StreamingDigest?>
    private let listener = Mutex(Listener(receive: { _ in }))

    /// The maximum number of bytes passed to the receiver at once.
    static let chunkBytes: Int64 = 256 << 10
    /// The number of bytes kept behind the receiver, for responses that must prove their version by overlapping bytes.
    static let keptBytes: Int64 = 64 << 10

    /// Creates a window; with an algorithm, it computes the digest of the bytes passed to the receiver.
    init(size: Int64, _ algorithm: Checksum.Algorithm?) {
        self.size = max(1, size)
        state = Mutex(State(ledger: ByteWindow(size: size)))
        digest = Mutex(algorithm.map { StreamingDigest($0) })
    }

    /// Sets the listener that is called now and then with the offset up to which the receiver has consumed bytes.
    func report(_ listener: @escaping @Sendable (Int64) -> Void) { self.listener.withLock { $0.receive = listener } }

    /// The offset up to which the receiver has consumed bytes.
    var released: Int64 { state.withLock { $0.ledger.released } }

    /// Starts with a version of the file.
    ///
    /// - Throws: `DownloadError` with code `sourceChanged` if bytes of an earlier version were passed to the receiver.
    func begin(total: Int64?) throws(DownloadError) {
        let bytes = min(size, total ?? size).addingReportingOverflow(Self.keptBytes).partialValue
        let isClean = state.withLock { state in
            guard state.ledger.handedOut == 0 else { return false }
            state.ledger = ByteWindow(size: size)
            state.start = []
            (state.surplus, state.disagrees) = (SurplusBytes(), false)
            state.notify = RingBuffer(capacity: Int(clamping: bytes))
            return true
        }
        guard isClean else { throw .streamChanged }
    }
}

/// Calls from the connections.
extension StreamWindow {
    /// Copies the bytes that there is room for, from the first one on.
    ///
    /// - Returns: The number of copied bytes.
    func write(_ bytes: RawSpan, at offset: Int64) -> Int {
        let (notify, room) = state.withLock { state in (state.notify, state.ledger.room(at: offset)) }
        guard let notify, room > 0 else { return 0 }
        let count = Int(min(room, Int64(bytes.byteCount)))
        notify.put(bytes.extracting(first: count), at: offset)
        let reader = state.withLock { state in
            keepStart(bytes.extracting(first: count), at: offset, &state)
            let before = state.ledger.contiguousPrefix
            state.ledger.didWrite(ByteRange(from: offset, to: offset + Int64(count)))
            if !state.surplus.entries.isEmpty { Self.compareSurplus(&state) }
            return state.ledger.contiguousPrefix > before ? state.reader.take() : nil
        }
        reader?.resume()
        return count
    }

    /// Keeps the first bytes beyond the end of a segment, until they are compared with those of another response.
    func keepSurplus(_ bytes: RawSpan, at offset: Int64) {
        state.withLock { state in
            state.surplus.keep(bytes, at: offset)
            Self.compareSurplus(&state)
        }
    }

    /// True if two responses had different bytes at one offset.
    var disagrees: Bool { state.withLock { $0.disagrees } }

    /// Compares the kept bytes that another response has written meanwhile.
    private static func compareSurplus(_ state: inout State) {
        guard let notify = state.notify else { return }
        let ledger = state.ledger
        for entry in state.surplus.take(where: { ledger.holds($0.range) })
        where notify.bytes(at: entry.offset, count: entry.bytes.count) != entry.bytes {
            state.disagrees = true
        }
    }

    private func keepStart(_ bytes: RawSpan, at offset: Int64, _ state: inout State) {
        guard offset == state.start.count, offset < Self.keptBytes else { return }
        let room = Int(Self.keptBytes) - state.start.count
        // Safe: the span is valid for the whole call and the array copies it.
        unsafe bytes.extracting(first: min(room, bytes.byteCount)).withUnsafeBytes {
            unsafe state.start.append(contentsOf: $0)
        }
    }

    /// Returns true if the file may have these bytes at an offset near its start; also true if that is unknown.
    func mayBegin(with bytes: RawSpan, at offset: Int64) -> Bool {
        let start = state.withLock { $0.start }
        guard offset + Int64(bytes.byteCount) <= start.count else { return true }
        // Safe: the span is valid for the whole call.
        return unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(start[Int(offset)..<Int(offset) + $0.count]) }
    }

    /// Returns true if the file has these bytes at an offset; only the last 64 KiB before the receiver are known.
    func holds(_ bytes: RawSpan, at offset: Int64) -> Bool {
        guard let notify = state.withLock({ $0.notify }) else { return false }
        let there = notify.bytes(at: offset, count: bytes.byteCount)
        // Unsafe: the span is valid for the whole call.
        return unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(there) }
    }
}

/// Calls from the receiver.
extension StreamWindow {
    /// Waits for the next bytes and returns them; nil at the end, and after `end()`.
    ///
    /// The bytes of the previous call count as consumed. Only one call at a time.
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

    /// Returns the released offset, if enough was released for a report.
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

/// The end of a stream.
extension StreamWindow {
    /// Waits until the receiver has consumed the whole file.
    ///
    /// - Returns: True with the digest, if one is computed; false if the stream was ended before.
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

    /// Ends the stream; no more bytes are passed to the receiver.
    func end() {
        let reader = state.withLock { state in
            state.isOver = true
            return state.reader.take()
        }
        reader?.resume()
        settle()
    }

    /// Resumes the waiter of `drain`, if the end is reached.
    private func settle() {
        let (finisher, isWhole) = state.withLock { state -> (CheckedContinuation<Bool, Never>?, Bool) in
            let isWhole = state.total.map { state.ledger.released >= $0 } ?? false
            return isWhole || state.isOver ? (state.finisher.take(), isWhole) : (nil, false)
        }
        finisher?.resume(returning: isWhole)
    }
}
