import HaulLibC
import Synchronization

/// An open file that can't be used after it is closed, from any thread.
///
/// The number of a closed descriptor is reused for the next file that is opened. A late write to it would go into the
/// wrong file, so each use keeps the file open, and the last one closes it.
package final class OpenFile: Sendable {
    /// The path under which it was opened or renamed.
    package let path: String
    let system: SystemCalls
    private let descriptor: Int32
    /// The number of current uses, plus `closedBit` once it is to be closed and `doneBit` once it is.
    private let uses = Atomic<Int>(0)
    /// True if it holds the lock, which is released before it is closed.
    let isLocked = Atomic(false)

    private static let closedBit = 1 << 40
    private static let doneBit = 1 << 41

    init(descriptor: Int32, path: String, system: SystemCalls) {
        self.descriptor = descriptor
        self.path = path
        self.system = system
    }

    /// Takes over the descriptor of a file that was renamed.
    ///
    /// `other` must no longer be used.
    convenience init(takingOver other: OpenFile, as path: String) {
        other.uses.store(Self.closedBit | Self.doneBit, ordering: .releasing)
        self.init(descriptor: other.descriptor, path: path, system: other.system)
        isLocked.store(other.isLocked.load(ordering: .acquiring), ordering: .releasing)
    }

    deinit { close() }

    /// Closes the file once no use is in progress; does nothing the second time.
    func close() {
        let before = uses.bitwiseOr(Self.closedBit, ordering: .acquiringAndReleasing).oldValue
        if before == 0 { closeOnce() }
    }

    /// Runs `body` with the descriptor.
    ///
    /// - Throws: `FileError` with EBADF if the file is closed.
    @inline(__always)
    func use<R>(
        for kind: SystemCall.Kind, _ body: (Int32) throws(FileError) -> R
    ) throws(FileError) -> R {
        let before = uses.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
        defer { leave() }
        guard before < Self.closedBit else { throw FileError(kind, path, EBADF) }
        return try body(descriptor)
    }

    private func leave() {
        let after = uses.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        if after == Self.closedBit { closeOnce() }
    }

    /// Closes the descriptor.
    ///
    /// May be called concurrently (by a close, the last use, a late use that was refused); only one call takes effect.
    private func closeOnce() {
        let done = Self.closedBit | Self.doneBit
        let won = uses.compareExchange(expected: Self.closedBit, desired: done, ordering: .acquiringAndReleasing)
        guard won.exchanged else { return }
        if isLocked.load(ordering: .acquiring) { SystemCalls.rawUnlock(descriptor) }
        system.close(descriptor, path)
    }
}
