import HaulLibC

/// The reason why a connection ends.
enum ServerConnectionEnd: Error, Equatable {
    case clientLeft
    case stopped
    /// FIN, requested by the script or announced by the response.
    case cut
    /// RST by script.
    case reset
    /// FIN after a complete response.
    case closed

    var ending: RequestRecord.Ending {
        switch self {
        case .clientLeft: .clientLeft
        case .stopped: .stopped
        case .cut, .reset: .broken
        case .closed: .complete
        }
    }
}

/// One connection: reads requests and answers them one after another, on its own thread.
struct Connection {
    /// The maximum number of bytes of a body that are kept.
    private static let maxBody = 64 << 10

    let socket: Socket
    let number: Int
    let core: ServerCore
    private var buffer: [UInt8] = []

    init(_ socket: Socket, number: Int, core: ServerCore) {
        self.socket = socket
        self.number = number
        self.core = core
    }

    /// Serves requests until the connection ends, and closes it.
    mutating func run() {
        let wire = Wire(socket: socket, overall: core.pacer)
        let end = serve(wire)
        switch end {
        case .cut, .closed: lingerAndClose()
        case .reset:
            // RST discards unsent data, so all data must arrive first for the reset to come exactly after it.
            let limit = ContinuousClock.now + .seconds(2)
            while socket.unconfirmed > 0, ContinuousClock.now < limit,
                socket.wait(0, until: .now + .milliseconds(1)) == .timedOut
            {}
            socket.reset()
        case .clientLeft, .stopped: socket.close()
        }
        core.release(number)
        core.log.disconnected()
    }

    private mutating func serve(_ wire: Wire) -> ServerConnectionEnd {
        while true {
            do {
                let head = try readHead()
                let body = try readBody(head?.bodyLength ?? 0)
                try answer(head, body, wire)
            } catch {
                return error
            }
        }
    }

    private func answer(_ head: ReceivedHead?, _ body: [UInt8], _ wire: Wire) throws(ServerConnectionEnd) {
        guard let head else {
            try wire.send(StatusLine.head(400, [HeaderLine("Content-Length", "0"), HeaderLine("Connection", "close")]))
            throw .closed
        }
        let facts = core.log.began(head, body: body, connection: number)
        let reply = core.reply(facts)
        core.log.responding(facts, reply)
        do {
            try ReplyPlayer(reply: reply, facts: facts, wire: wire, log: core.log).play()
        } catch {
            core.log.ended(facts, error.ending)
            throw error
        }
        core.log.ended(facts, .complete)
    }

    /// Returns the next head; nil if it is invalid or longer than 1 MiB.
    private mutating func readHead() throws(ServerConnectionEnd) -> ReceivedHead? {
        while true {
            if let end = ReceivedHead.end(in: buffer) {
                let head = ReceivedHead(buffer[..<end])
                buffer.removeFirst(end)
                return head
            }
            if buffer.count > 1 << 20 { return nil }
            buffer += try receive()
        }
    }

    /// Reads a whole body, and keeps its start.
    private mutating func readBody(_ length: Int64) throws(ServerConnectionEnd) -> [UInt8] {
        var (left, body) = (length, [UInt8]())
        while left > 0 {
            if buffer.isEmpty { buffer = try receive() }
            let count = Int(min(left, Int64(buffer.count)))
            body += buffer.prefix(min(count, Self.maxBody - body.count))
            buffer.removeFirst(count)
            left -= Int64(count)
        }
        return body
    }

    private func receive() throws(ServerConnectionEnd) -> [UInt8] {
        while true {
            switch socket.receive() {
            case .bytes(let bytes): return bytes
            case .end: throw .clientLeft
            case .nothingYet: if socket.wait(Int32(POLLIN)) == .stopped { throw .stopped }
            }
        }
    }

    /// Sends FIN, and reads until the client has closed too.
    ///
    /// Closing with unread bytes would send RST and could destroy the response.
    private func lingerAndClose() {
        socket.finish()
        let limit = ContinuousClock.now + .seconds(2)
        reading: while true {
            switch socket.receive() {
            case .bytes: continue
            case .end: break reading
            case .nothingYet: if socket.wait(Int32(POLLIN), until: limit) != .ready { break reading }
            }
        }
        socket.close()
    }
}
