import HaulLibC

/// Sends and waits on one connection; every wait ends immediately when the server stops or the client leaves.
struct Wire {
    let socket: Socket
    /// The pacer of the whole server.
    let overall: Pacer

    /// Sends all bytes; `taken` is called with the size of each part that the socket has accepted.
    func send(_ bytes: [UInt8], taken: (Int) -> Void = { _ in }) throws(ServerConnectionEnd) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let count = socket.send(rest) else { throw .clientLeft }
            if count > 0 {
                rest = rest.dropFirst(count)
                taken(count)
            } else if socket.wait(Int32(POLLOUT)) == .stopped {
                throw .stopped
            }
        }
    }

    /// Waits until a time, or forever.
    func sleep(until deadline: ContinuousClock.Instant?) throws(ServerConnectionEnd) {
        while true {
            // A pipelined request keeps the socket readable; then only an error or a full close is noticed.
            var events = Int32(POLLIN)
            switch socket.receive(1, peeking: true) {
            case .end: throw .clientLeft
            case .bytes: events = 0
            case .nothingYet: break
            }
            switch socket.wait(events, until: deadline) {
            case .timedOut: return
            case .stopped: throw .stopped
            case .ready: if events == 0 { throw .clientLeft }
            }
        }
    }
}
