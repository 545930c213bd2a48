import HaulLibC
import Synchronization

/// A pipe with one byte, never read, that wakes every thread polling its reading end.
final class StopSignal: Sendable {
    /// The reading end, which becomes readable when the server stops.
    let descriptor: Int32
    private let writer: Mutex<Int32?>

    init() throws(ServerSetupError) {
        var ends: [Int32] = [-1, -1]
        // `pipe` fills the two elements of the array and keeps no pointer.
        guard unsafe pipe(&ends) == 0 else { throw ServerSetupError("pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        writer = Mutex(ends[1])
    }

    /// Wakes all threads permanently.
    func raise() {
        writer.withLock { writer in
            guard let end = writer else { return }
            // A child process may have inherited this end, so closing it alone might wake no thread.
            var byte: UInt8 = 0
            // One byte is read from a live variable.
            _ = unsafe write(end, &byte, 1)
            _ = close(end)
            writer = nil
        }
    }

    /// Closes the reading end, which must not be polled any more.
    func closeReader() {
        _ = close(descriptor)
    }
}

/// A socket, pipe or thread that the system did not provide.
public struct ServerSetupError: Error, Hashable, CustomStringConvertible {
    /// The call that failed.
    public let call: String
    /// The errno of the call.
    public let code: Int32

    init(_ call: String, _ code: Int32) {
        self.call = call
        self.code = code
    }

    /// The call and its error number.
    public var description: String { "\(call) failed with errno \(code)" }
}
