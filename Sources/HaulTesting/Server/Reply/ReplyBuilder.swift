/// Decides about a response: turns a resource, a script and the facts of a request into plain data.
///
/// Does no I/O.
struct ReplyBuilder {
    let facts: RequestFacts
    let script: ServerScript
    let resource: Resource

    init(_ resource: Resource, _ script: ServerScript, _ facts: RequestFacts) {
        self.facts = facts
        self.script = script
        var resource = script.resource ?? resource
        switch script.head.etag {
        case .asIs: break
        case .absent: resource.etag = nil
        case .text(let etag): resource.etag = etag
        }
        self.resource = resource
    }

    /// Returns the response.
    func reply() -> Reply {
        var reply = Reply(pace: script.pace, breaks: script.breaks)
        if case .raw(let bytes, let closes) = script.kind {
            reply.body = [.literal(bytes)]
            reply.closes = closes
            return reply
        }
        let answer = RangeDecision(resource, script, facts).answer
        let body = EntityBuilder(resource, script, facts).entity(answer)
        reply.status = answer.status
        reply.interim = script.head.interim.flatMap { $0 }
        reply.framing = script.framing
        reply.served = isCountable && answer.isOfTheFile ? answer.range : nil
        reply.closes = closes
        reply.head = StatusLine.head(answer.status, headers(answer, body))
        reply.body = isWithoutBody(answer) ? [] : body.pieces
        reply.limit = body.limit
        if isWithoutBody(answer) { reply.framing = .length }
        return reply
    }

    private var closes: Bool {
        let wish = facts.header("Connection")?.lowercased()
        return script.head.closes || script.framing == .untilClose || script.body.missing > 0
            || wish == "close" || (facts.version == "HTTP/1.0" && wish != "keep-alive")
    }

    /// True if the n-th byte of the body is the n-th byte of the part of the file.
    private var isCountable: Bool {
        if case .multipart = script.kind { return false }
        return !script.body.isGzipped
    }

    private func isWithoutBody(_ answer: Answer) -> Bool {
        facts.method == "HEAD" || StatusLine.isBodiless(answer.status)
    }

    private func headers(_ answer: Answer, _ entity: Entity) -> [HeaderLine] {
        var lines: [HeaderLine] = [HeaderLine("Date", ServerDate.text(ServerDate.now)), HeaderLine("Server", "fault")]
        if answer.isOfTheFile || answer.status == 416 { lines += describing }
        lines.set("Content-Type", entity.type)
        lines.set("Content-Range", entity.contentRange)
        if script.body.isGzipped { lines.set("Content-Encoding", "gzip") }
        if !StatusLine.isBodiless(answer.status) { lines += framingLines(entity) }
        if closes { lines.set("Connection", "close") }
        for line in resource.headers where answer.isOfTheFile { lines.set(line.name, line.value) }
        for line in script.head.set { lines.set(line.name, line.value) }
        for name in script.head.removed { lines.set(name, nil) }
        return lines + flood
    }

    private var describing: [HeaderLine] {
        var lines: [HeaderLine] = []
        lines.set("Accept-Ranges", resource.acceptsRanges ? "bytes" : nil)
        lines.set("ETag", resource.etag)
        lines.set("Last-Modified", resource.lastModified)
        lines.set("Content-Disposition", resource.contentDisposition)
        return lines
    }

    private func framingLines(_ entity: Entity) -> [HeaderLine] {
        switch (script.head.contentLength, script.framing) {
        case (.text(let text), _): [HeaderLine("Content-Length", text)]
        case (.asIs, .length): [HeaderLine("Content-Length", "\(entity.announced)")]
        case (_, .chunked): [HeaderLine("Transfer-Encoding", "chunked")]
        case (.absent, .length), (_, .untilClose): []
        }
    }

    private var flood: [HeaderLine] {
        let value = String(repeating: "f", count: 1000)
        return (0..<((script.head.flood + 999) / 1000)).map { HeaderLine("X-Flood-\($0)", value) }
    }
}
