extension LimitingFactor: CustomStringConvertible {
    /// What it is, with its numbers, and what would help: one sentence.
    public var description: String {
        switch cause {
        case .perConnection, .connectionLimit, .total, .server, .refusals, .hostLimit, .single, .proxy: serverSentence
        case .rateLimit(let speed):
            "Haul's own rate limit held the connections back: at \(rate(speed)) (a higher --limit-rate, or none, is faster)"
        case .latency(let seconds, let requests):
            "latency: \(time(seconds)) passed before answers began, for \(counted(requests, "request"))"
        case .serverAsked(let seconds, let status):
            "the server asked to come back later (\(status)): nothing was asked for \(time(seconds))"
        case .retries(let seconds, let count):
            "\(counted(count, "attempt")) failed: pauses of \(time(seconds)) followed"
        case .stalls(let seconds, let replaced): stalls(seconds, replaced)
        case .disk(let writing):
            "the disk: writing took \(percent(writing)) of the time in which bytes came"
        case .processor(let used, let cores):
            "this machine's processor: Haul used \(percent(used)) of \(counted(cores, "core"))"
        case .verifying(let seconds): "the digest took \(time(seconds)) behind the last byte"
        case .files(let seconds): "opening, syncing and naming the file took \(time(seconds))"
        }
    }

    private var serverSentence: String {
        switch cause {
        case .perConnection(let connections, let speed):
            "the server gives each connection \(rate(speed / Double(max(1, connections)))): "
                + "\(counted(connections, "connection")) brought \(rate(speed))"
        case .connectionLimit(let limit):
            "Haul used no more than \(counted(limit, "connection")), as it was told: "
                + "more would probably bring more (--connections \(min(64, max(2, limit.clampedDouble))))"
        case .total(let connections, let speed, let fewer): total(connections, speed, fewer)
        case .server(let connections, let speed):
            "the server or the network: \(counted(connections, "connection")) brought \(rate(speed)); "
                + "whether more would bring more can't be told from this run"
        case .refusals(let count, let connections, let status):
            "the server refused more than \(counted(connections, "connection")), \(counted(count, "time"))"
                + (status.map { " (\($0))" } ?? "")
        case .hostLimit(let limit, let connections, let waited): hostLimit(limit, connections, waited)
        case .single(let reason, let speed): "one connection has to do, at \(rate(speed)): \(text(of: reason))"
        case .proxy(let host): "all of it went through the proxy \(host), whose part can't be told from the server's"
        case .rateLimit, .latency, .serverAsked, .retries, .stalls, .disk, .processor, .verifying, .files: ""
        }
    }

    private func hostLimit(_ limit: Int, _ connections: Int, _ waited: Double) -> String {
        let all = "the host allows \(counted(limit, "connection")) to all downloads together: "
        let part = connections >= limit ? "this one had work for more" : "this one had \(connections), others the rest"
        if connections > 0 { return all + part + (waited > 0 ? ", after it had waited \(time(waited))" : "") }
        return all + "this one waited \(time(waited)) for a place"
    }

    private func total(_ connections: Int, _ speed: Double, _ fewer: Int?) -> String {
        let most = "the server or the network gives \(rate(speed)) in all: "
        guard let fewer, fewer < connections else {
            return most + "more than \(counted(connections, "connection")) did not bring more"
        }
        return most + "\(counted(connections, "connection")) brought hardly more than \(fewer)"
    }

    private func stalls(_ seconds: Double, _ replaced: Int) -> String {
        var parts: [String] = []
        if seconds > 0 { parts.append("no byte came for \(time(seconds))") }
        if replaced > 0 { parts.append("\(counted(replaced, "silent or slow connection")) had to be replaced") }
        return parts.joined(separator: ", ")
    }

    private func text(of reason: SingleConnectionReason) -> String {
        switch reason {
        case .noRanges: "the server sends only whole files"
        case .unknownSize: "the server does not tell the size"
        case .oneUse: "the server answers one request for this link and refuses a second one"
        case .noValidator: "the server gives nothing to tell versions apart (with --checksum more are used)"
        }
    }

    private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private func percent(_ part: Double) -> String { "\(Int(min(1, max(0, part.isNaN ? 0 : part)) * 100)) %" }

    private func rate(_ speed: Double) -> String {
        ByteCount.string(Int64(min(max(speed.isNaN ? 0 : speed, 0), 9e18))) + "/s"
    }

    /// Three digits for short times, two units for long ones.
    private func time(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0 else { return "--" }
        if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
        guard seconds < 60 else { return TimeLeft.string(seconds) }
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}

extension Int {
    /// Twice the number, however large it is.
    fileprivate var clampedDouble: Int { self > 1 << 30 ? self : self * 2 }
}
