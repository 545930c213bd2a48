import HaulCore
import HaulLibC
import Synchronization

/// An open file to which text is written.
///
/// The descriptor is never closed.
package struct OutputFile: Sendable {
    /// The descriptor.
    let descriptor: Int32

    /// Standard output.
    package static let standardOutput = OutputFile(descriptor: 1)
    /// Standard error.
    package static let standardError = OutputFile(descriptor: 2)

    /// The error number of the last write to standard output that failed although somebody may read it; 0: none has.
    private static let failure = Atomic<Int32>(0)

    /// The system's reason why something of standard output was lost; nil if nothing was, or its reader has gone.
    package static var loss: String? {
        let number = failure.load(ordering: .relaxed)
        // Unsafe: the text belongs to the C library and is copied at once.
        return number == 0 ? nil : unsafe String(cString: strerror(number))
    }

    /// Makes the value for an open descriptor.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Opens a pipe or a device for writing; it stays open until the process ends.
    ///
    /// A named pipe is opened once it has a reader.
    ///
    /// - Parameter waiting: Called before it waits for one.
    /// - Throws: `DownloadError` with code `fileFailed` that names the path.
    init(writingTo path: String, waiting: () -> Void) throws(DownloadError) {
        var number = EINTR
        descriptor = {
            var isPatient = false
            while true {
                // Unsafe: the path is read up to its NUL and not kept.
                let opened = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (isPatient ? 0 : O_NONBLOCK))
                number = errno
                if opened >= 0, !isPatient { _ = fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) & ~O_NONBLOCK) }
                if opened < 0, number == ENXIO, !isPatient {
                    waiting()
                    isPatient = true
                } else if opened >= 0 || number != EINTR {
                    return opened
                }
            }
        }()
        guard descriptor >= 0 else {
            // Unsafe: the text belongs to the C library and is copied at once.
            throw DownloadError(
                .fileFailed, "can't open \(path) for writing",
                cause: unsafe String(cString: strerror(number)))
        }
    }

    /// Returns true if a path is a named pipe or a character device; links are followed.
    package static func isPipeOrDevice(_ path: String) -> Bool {
        let kind = kind(of: path)
        return kind == S_IFIFO || kind == S_IFCHR
    }

    /// Returns true if a path is a pipe; links are followed.
    package static func isPipe(_ path: String) -> Bool { kind(of: path) == S_IFIFO }

    private static func kind(of path: String) -> mode_t? {
        var facts = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        return unsafe stat(path, &facts) == 0 ? facts.st_mode & S_IFMT : nil
    }

    /// Returns the system's reason why this process may not read a file; nil if it may.
    static func unreadable(_ path: String) -> String? {
        // Unsafe: the path is read up to its NUL, and the text belongs to the C library and is copied at once.
        guard unsafe access(path, R_OK) != 0 else { return nil }
        return unsafe String(cString: strerror(errno))
    }

    /// True if the process is in the foreground of this terminal, or if the terminal is not the controlling one.
    package var isForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// True if the file is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// True if the file is a regular one, as after `> FILE`.
    package var isRegularFile: Bool {
        var status = stat()
        // Unsafe: the kernel writes one `stat`, which outlives the call.
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The size of the terminal, or nil if the file is not a terminal or its size is unknown.
    ///
    /// It is read for every frame (tty_ioctl(4)), so a changed size is noticed without a SIGWINCH handler.
    package var window: WindowSize? {
        var size = winsize()
        // Unsafe: the kernel writes one `winsize`, which outlives the call.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return WindowSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Writes all of the text, in one write(2) unless the kernel takes less.
    ///
    /// - Returns: False if the output has no reader any more, or if the write failed for another reason.
    @discardableResult
    package func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in unsafe writeAll(bytes) == 0 }
    }

    /// Writes all of the bytes, as `write(_:)` does for text.
    ///
    /// - Returns: 0, or the `errno` of the failed call.
    package func write(_ bytes: [UInt8]) -> Int32 {
        // Unsafe: the array lives as long as the call.
        unsafe bytes.withUnsafeBufferPointer { unsafe writeAll($0) }
    }

    // Unsafe: the caller owns the bytes during the call.
    private func writeAll(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        var rest = unsafe bytes[...]
        while let start = unsafe rest.baseAddressOfSlice {
            let count = unsafe systemWrite(descriptor, start, rest.count)
            if count > 0 {
                unsafe rest = rest.dropFirst(count)
            } else if count < 0, errno != EINTR {
                let number = errno
                guard number == EAGAIN, waitUntilWritable() else {
                    let isLost = descriptor == Self.standardOutput.descriptor && number != EPIPE && number != EBADF
                    if isLost { Self.failure.store(number, ordering: .relaxed) }
                    return number
                }
            }
        }
        return 0
    }

    /// Waits with poll(2) until a terminal has room: it returns EAGAIN if another program made it non-blocking.
    private func waitUntilWritable() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // Unsafe: poll reads and writes one entry, which outlives the call.
        return unsafe poll(&entry, 1, -1) >= 0 || errno == EINTR
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// The address of the first byte, or nil if there is none.
    fileprivate var baseAddressOfSlice: UnsafePointer<UInt8>? {
        guard unsafe !isEmpty, let address = unsafe base.baseAddress else { return nil }
        return unsafe address + startIndex
    }
}

// write(2), under a name that the method `write` does not hide. Unsafe: the caller owns the bytes during the call.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
    unsafe HaulLibC.write(descriptor, bytes, count)
}
