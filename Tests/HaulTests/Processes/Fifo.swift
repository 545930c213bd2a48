import Foundation
import HaulLibC
import HaulTesting

/// A named pipe that programs open for writing: its end is seen when the last of them is gone, a zombie counting as gone.
final class Fifo: Sendable {
    private let descriptor: Int32

    init(_ name: String, in folder: TemporaryFolder) throws {
        // The paths are used during the calls only.
        guard unsafe mkfifo(folder.path(name), 0o600) == 0 else { throw POSIXError(.EIO) }
        descriptor = unsafe open(folder.path(name), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
    }

    deinit { close(descriptor) }

    /// Waits for the first bytes.
    func first() async -> String { await taken(toEnd: false) }

    /// Waits until no program has it open any more; what they wrote.
    func rest() async -> String { await taken(toEnd: true) }

    /// On a thread of its own: a blocked thread of Dispatch would hold the other tests up.
    ///
    /// Before the first writer poll(2) says nothing, so `first()` waits for it.
    private func taken(toEnd: Bool) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.take(toEnd: toEnd)) }
        }
    }

    private func take(toEnd: Bool) -> String {
        var bytes: [UInt8] = []
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // The pointers are used during the calls only.
            _ = unsafe poll(&waiting, 1, -1)
            var part = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(descriptor, &part, part.count)
            if count > 0 { bytes += part.prefix(count) }
            if count == 0 || (count > 0 && !toEnd) { return String(decoding: bytes, as: UTF8.self) }
        }
    }
}
