/// Sends one response.
struct ReplyPlayer {
    let reply: Reply
    let facts: RequestFacts
    let wire: Wire
    let log: LogKeeper

    /// Sends the response and returns if the connection can be used again; otherwise throws the way in which it ends.
    func play() throws(ServerConnectionEnd) {
        if let delay = reply.pace.delay { try wire.sleep(until: .now + delay) }
        for stop in reply.breaks where stop.place == .beforeHead { try perform(stop.act) }
        try wire.send(reply.interim)
        try sendHead()
        try sendBody()
        if reply.closes { throw .closed }
    }

    private func perform(_ act: Break.Act) throws(ServerConnectionEnd) {
        switch act {
        case .cut: throw .cut
        case .reset: throw .reset
        case .stall(let duration): try wire.sleep(until: duration.map { .now + $0 })
        }
    }

    private func sendHead() throws(ServerConnectionEnd) {
        var sent = 0
        for stop in reply.breaks {
            guard case .inHead(let place) = stop.place else { continue }
            let end = min(max(sent, place), reply.head.count)
            try sendHead(sent..<end)
            sent = end
            try perform(stop.act)
        }
        try sendHead(sent..<reply.head.count)
    }

    private func sendHead(_ range: Range<Int>) throws(ServerConnectionEnd) {
        guard let pause = reply.pace.perHeadByte else { return try wire.send(Array(reply.head[range])) }
        for byte in reply.head[range] {
            try wire.sleep(until: .now + pause)
            try wire.send([byte])
        }
    }

    private func sendBody() throws(ServerConnectionEnd) {
        var course = BodyCourse(reply.breaks)
        var reader = BodyReader(reply.body, atMost: reply.limit)
        var framer = Framer(reply.framing)
        let own = Pacer(reply.pace.bytesPerSecond)
        while true {
            while let act = course.due() { try perform(act) }
            let limit = min(course.left, framer.limit, own.slice ?? .max, wire.overall.slice ?? .max)
            let bytes = reader.next(limit)
            if bytes.isEmpty { break }
            for pacer in [wire.overall, own] {
                if let time = pacer.book(bytes.count, now: .now), time > .now { try wire.sleep(until: time) }
            }
            try wire.send(framer.before(bytes.count))
            try wire.send(bytes) { log.sent(facts, $0) }
            try wire.send(framer.after)
            course.position += Int64(bytes.count)
        }
        guard facts.method != "HEAD" else { return }
        guard let end = framer.end else { throw .cut }
        try wire.send(end)
    }
}

/// The position in the body, and the faults at positions.
struct BodyCourse {
    private var breaks: [(place: Int64, act: Break.Act)]
    /// The number of bytes sent.
    var position: Int64 = 0

    init(_ breaks: [Break]) {
        self.breaks = breaks.compactMap { stop in
            guard case .body(let place) = stop.place else { return nil }
            return (max(0, place), stop.act)
        }
        self.breaks.sort { $0.place < $1.place }
    }

    /// The number of bytes that may be sent before the next fault.
    var left: Int64 { (breaks.first?.place ?? .max) - position }

    /// Returns the fault at the current position.
    mutating func due() -> Break.Act? {
        guard let first = breaks.first, first.place <= position else { return nil }
        breaks.removeFirst()
        return first.act
    }
}
