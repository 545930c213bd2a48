import CHaulSystem
import HaulLibC

/// The only interface to the kernel: every file system call of Haul goes through it, so that tests can make any of them
/// fail.
///
/// Interrupted calls (EINTR) are repeated and short reads or writes continued here, so callers see neither. Without a
/// hook there is no overhead.
package final class SystemCalls: Sendable {
    /// A function called before each system call, on any thread.
    package typealias Hook = @Sendable (SystemCall) -> SystemCallVerdict

    /// The real system calls, without a hook.
    package static let live = SystemCalls(hook: nil)

    private let hook: Hook?
    private let boot: String?
    private let appearance: (@Sendable (FileStatus, _ path: String) -> FileStatus)?
    /// The folders that stay open: see `inFolders(_:)`.
    let folders: [OpenFolder]

    /// Makes an interface with a hook.
    ///
    /// - Parameters:
    ///   - bootID: The result of `bootID()` instead of the machine's own, so that a test can simulate a restart.
    ///   - appearance: Returns the status of the file at a path as another file system would report it; the path of an open
    ///     file is in `/proc/self/fd`.
    package init(
        hook: Hook?, bootID: String? = nil, appearance: (@Sendable (FileStatus, _ path: String) -> FileStatus)? = nil
    ) {
        self.hook = hook
        self.boot = bootID
        self.appearance = appearance
        folders = []
    }

    /// Makes the same interface with open folders.
    init(_ other: SystemCalls, folders: [OpenFolder]) {
        hook = other.hook
        boot = other.boot
        appearance = other.appearance
        self.folders = folders
    }

    /// Returns the status of the file at a path.
    func appears(_ status: FileStatus, _ path: @autoclosure () -> String) -> FileStatus {
        guard let appearance else { return status }
        return appearance(status, path())
    }

    /// Returns the identity of this boot of the machine.
    ///
    /// An empty string means that there is none; it never counts as equal to another.
    package func bootID() -> String {
        if let boot { return boot }
        // Safe: the C function gets the capacity and ends the text with NUL.
        let found = unsafe String(unsafeUninitializedCapacity: 64) { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress, unsafe haul_boot_identity(start, text.count) == 0 else { return 0 }
                return unsafe strlen(start)
            }
        }
        return found
    }

    /// Calls the hook, then the system, and repeats interrupted calls.
    ///
    /// - Returns: The result of `body`; never negative.
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

    /// Works like `perform`, for a call that moves at most `count` bytes; the hook may reduce that.
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

    /// Closes a descriptor regardless of the hook: a descriptor is invalid even if close(2) fails, including with
    /// EINTR.
    func close(_ descriptor: Int32, _ path: String) {
        _ = hook?(.close(path: path))
        Self.rawClose(descriptor)
    }

    static func rawClose(_ descriptor: Int32) {
        _ = HaulLibC.close(descriptor)
    }
}
