import HaulLibC

/// The server's system calls on a non-blocking socket.
///
/// One thread owns it and closes it.
struct Socket {
    let descriptor: Int32
    let stop: StopSignal

    /// The event that ended a wait.
    enum Wake: Equatable { case ready, timedOut, stopped }

    /// The result of a read.
    enum Received { case bytes([UInt8]), end, nothingYet }

    /// Waits until the socket is ready for the events (or broken), until a deadline, or until the server stops.
    func wait(_ events: Int32, until deadline: ContinuousClock.Instant? = nil) -> Wake {
        while true {
            var timeout: Int32 = -1
            if let deadline {
                let left = ContinuousClock.now.duration(to: deadline)
                if left <= .zero { return .timedOut }
                // Rounded up, so that the loop does not spin through the last millisecond.
                timeout = Int32(clamping: Int64(min(left / .milliseconds(1), 1e9).rounded(.up)))
            }
            var polled = [
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            // `poll` writes the two elements and keeps no pointer.
            let count = unsafe poll(&polled, 2, timeout)
            if polled[1].revents != 0 { return .stopped }
            if count > 0 { return .ready }
        }
    }

    /// Reads the available bytes.
    func receive(_ limit: Int = 16_384, peeking: Bool = false) -> Received {
        var buffer = [UInt8](repeating: 0, count: limit)
        // `recv` writes at most `limit` bytes into the array and keeps no pointer.
        let count = unsafe recv(descriptor, &buffer, limit, peeking ? Int32(MSG_PEEK.number) : 0)
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        if count < 0, errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR { return .nothingYet }
        return .end
    }

    /// Sends bytes and returns their number, which is 0 if the buffer is full; nil if the client has gone.
    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL.number)
        #endif
        // Unsafe: the pointer lives as long as the call, and the count is its own.
        let count = unsafe bytes.withUnsafeBytes { unsafe systemSend(descriptor, $0.baseAddress, $0.count, flags) }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : nil
    }

    /// Ends the sending direction: FIN.
    func finish() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        _ = systemClose(descriptor)
    }

    /// Closes with RST instead of FIN (socket(7), SO_LINGER with a time of zero).
    func reset() {
        var value = linger(l_onoff: 1, l_linger: 0)
        // The option is read during the call only.
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// The number of sent bytes that the client's system has not acknowledged (tcp(7), SIOCOUTQ).
    var unconfirmed: Int {
        var count: Int32 = 0
        #if canImport(Darwin)
            var size = socklen_t(MemoryLayout<Int32>.size)
            let code = unsafe getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size)
        #else
            // SIOCOUTQ is TIOCOUTQ; the kernel writes one int.
            let code = unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count)
        #endif
        return code == 0 ? Int(count) : 0
    }

    func set(_ option: Int32, level: Int32 = SOL_SOCKET, to value: Int32) {
        var value = value
        // The option is read during the call only.
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

// `Socket`'s own methods hide the plain names.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    unsafe send(descriptor, bytes, count, flags)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

extension Int32 {
    fileprivate var number: Int { Int(self) }
}

extension Int {
    fileprivate var number: Int { self }
}
