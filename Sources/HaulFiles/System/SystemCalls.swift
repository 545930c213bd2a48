import CHaulSystem
import HaulLibC

/// The one door to the kernel: every file system call of Haul passes it, so that tests can make any of them fail.
///
/// An interrupted call (EINTR) is repeated and a short read or write is continued in here: callers see neither.
/// Without a hook a call costs nothing but itself.
package final class SystemCalls: Sendable {
    /// Is asked before each call; it may be called on any thread.
    package typealias Hook = @Sendable (SystemCall) -> SystemCallVerdict

    /// The kernel as it is.
    package static let live = SystemCalls(hook: nil)

    private let hook: Hook?
    private let boot: String?

    /// Makes a door with a hook.
    ///
    /// - Parameter bootID: what `bootID()` answers instead of the machine's own: a test can play a restart.
    package init(hook: Hook?, bootID: String? = nil) {
        self.hook = hook
        self.boot = bootID
    }

    /// The identity of this boot of the machine, or an empty string, which is never the same as another, where there is
    /// none.
    package func bootID() -> String {
        if let boot { return boot }
        // Safe: the C function is told the capacity and ends the text with NUL.
        let found = unsafe String(unsafeUninitializedCapacity: 64) { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress, unsafe haul_boot_identity(start, text.count) == 0 else { return 0 }
                return unsafe strlen(start)
            }
        }
        return found
    }

    /// Asks the hook, calls, and repeats what was interrupted.
    ///
    /// - Returns: what `body` returned; never negative.
    @inline(__always)
    func perform(_ call: @autoclosure () -> SystemCall, _ body: () -> Int) throws(FileError) -> Int {
        while true {
            var code: Int32 = 0
            switch hook?(call()) ?? .proceed {
            case .proceed, .short: break
            case .fail(let asked): code = asked
            case .pretend: return 0
            }
            if code == 0 {
                let result = body()
                if result >= 0 { return result }
                code = errno
            }
            if code != EINTR { throw FileError(call().kind, call().path, code) }
        }
    }

    /// As `perform`, for a call that moves at most `count` bytes; the hook may make it fewer.
    @inline(__always)
    func move(_ call: @autoclosure () -> SystemCall, _ count: Int, _ body: (Int) -> Int) throws(FileError) -> Int {
        while true {
            var allowed = count
            var code: Int32 = 0
            switch hook?(call()) ?? .proceed {
            case .proceed: break
            case .fail(let asked): code = asked
            case .pretend: return 0
            case .short(let fewer): allowed = min(count, max(1, fewer))
            }
            if code == 0 {
                let result = body(allowed)
                if result >= 0 { return result }
                code = errno
            }
            if code != EINTR { throw FileError(call().kind, call().path, code) }
        }
    }

    /// Closes a descriptor whatever the hook says: a descriptor is gone even where close(2) fails, EINTR included.
    func close(_ descriptor: Int32, _ path: String) {
        _ = hook?(.close(path: path))
        Self.rawClose(descriptor)
    }

    static func rawClose(_ descriptor: Int32) {
        _ = HaulLibC.close(descriptor)
    }
}
