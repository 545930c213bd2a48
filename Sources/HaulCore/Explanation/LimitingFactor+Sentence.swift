extension LimitingFactor: CustomStringConvertible {
    /// One sentence with the factor's numbers.
    public var description: String {
        switch cause {
        case .perConnection, .likelyPerConnection, .connectionLimit, .total, .server, .refusals, .hostLimit, .single,
            .proxy:
            serverSentence
        case .rateLimit(let speed):
            "the rate limit held the connections back: \(rate(speed))"
        case .latency(let seconds, let requests):
            "latency: \(time(seconds)) of waiting for the first byte, in \(counted(requests, "request"))"
        case .serverAsked(let seconds, let status):
            "the server asked Haul to retry later (\(status)): no requests for \(time(seconds))"
        case .retries(let seconds, let count):
            "\(counted(count, "attempt")) failed: \(time(seconds)) of pauses before the next"
        case .stalls(let seconds, let replaced): stalls(seconds, replaced)
        case .disk(let writing):
            "the disk: writing took \(percent(writing)) of the time in which data arrived"
        case .processor, .processorQuota, .processorWait: processorSentence
        case .verifying(let seconds): "the checksum took \(time(seconds)) after the last byte"
        case .files(let seconds): "opening, syncing and renaming the file took \(time(seconds))"
        }
    }

    private var serverSentence: String {
        switch cause {
        case .perConnection(let connections, let speed):
            "the server limits each connection to \(rate(speed / Double(max(1, connections)))): "
                + "\(counted(connections, "connection")) reached \(rate(speed))"
        case .likelyPerConnection(let connections, let speed):
            "the server probably limits each connection to \(rate(speed / Double(max(1, connections)))): "
                + "\(counted(connections, "connection")) were equally fast; more would then be faster"
        case .connectionLimit(let limit, let isDefault):
            "Haul used at most \(counted(limit, "connection"))\(isDefault ? ", its default" : ""): "
                + "more would probably be faster"
        case .total(let connections, let speed, let fewer): total(connections, speed, fewer)
        case .server(let connections, let speed):
            "the server or the network: \(counted(connections, "connection")) reached \(rate(speed)); "
                + "this run does not show whether more would be faster"
        case .refusals(let count, let connections, let status):
            "the server refused more than \(counted(connections, "connection")), \(counted(count, "time"))"
                + (status.map { " (\($0))" } ?? "")
        case .hostLimit(let limit, let connections, let waited): hostLimit(limit, connections, waited)
        case .single(let reason, let speed): "only one connection is possible, at \(rate(speed)): \(text(of: reason))"
        case .proxy(let host): "the proxy \(host) or the server: this run does not show which of them"
        case .rateLimit, .latency, .serverAsked, .retries, .stalls, .disk, .processor, .processorQuota, .processorWait,
            .verifying, .files:
            ""
        }
    }

    private var processorSentence: String {
        switch cause {
        case .processor(let used, let cores, let machineCores) where cores < machineCores:
            "the processor: Haul used \(percent(used)) of the \(counted(cores, "core")) of \(machineCores) that it may run on (CPU affinity)"
        case .processor(let used, let cores, _):
            "the processor: Haul used \(percent(used)) of \(counted(cores, "core"))"
        case .processorQuota(let quota, let used, let throttled):
            "the CPU quota of the control group, \(hundredths(quota)) cores: Haul used \(percent(used)) of it"
                + (throttled.map { ", and was throttled in \(percent($0)) of the periods" } ?? "")
        case .processorWait(let waited, let cores, let machineCores):
            "the processor is busy: Haul's busiest thread waited for it \(percent(waited)) of the time"
                + (cores < machineCores
                    ? "; Haul may run on \(counted(cores, "core")) of \(machineCores) (CPU affinity)" : "")
        default: ""
        }
    }

    private func hostLimit(_ limit: Int, _ connections: Int, _ waited: Double) -> String {
        let all = "the host allows \(counted(limit, "connection")) for all downloads together: "
        let part = connections >= limit ? "this one could use more" : "this one had \(connections), others the rest"
        if connections > 0 { return all + part + (waited > 0 ? ", after waiting \(time(waited))" : "") }
        return all + "this one waited \(time(waited)) for one"
    }

    private func total(_ connections: Int, _ speed: Double, _ fewer: Int?) -> String {
        let maximum = "the server or the network allows \(rate(speed)) in total: "
        guard let fewer, fewer < connections else {
            return maximum + "no faster with more than \(counted(connections, "connection"))"
        }
        return maximum + "\(counted(connections, "connection")) were hardly faster than \(fewer)"
    }

    private func stalls(_ seconds: Double, _ replaced: Int) -> String {
        var parts: [String] = []
        if seconds > 0 { parts.append("no data arrived for \(time(seconds))") }
        if replaced > 0 { parts.append("\(counted(replaced, "silent or slow connection")) replaced") }
        return parts.joined(separator: ", ")
    }

    private func text(of reason: SingleConnectionReason) -> String {
        switch reason {
        case .noRanges: "the server does not support range requests"
        case .unknownSize: "the server does not send the size"
        case .oneUse: "the server accepts this link only once"
        case .noValidator: "the server sends no ETag or date to recognize the version of the file"
        }
    }

    /// Formats a number with at most two decimals.
    private func hundredths(_ number: Double) -> String {
        let hundredths = Int((min(max(0, number.isNaN ? 0 : number), 1e6) * 100).rounded())
        let digits = "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
        return String(digits.hasSuffix("0") ? digits.dropLast() : digits[...])
    }

    private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private func percent(_ part: Double) -> String { "\(Int(min(1, max(0, part.isNaN ? 0 : part)) * 100)) %" }

    private func rate(_ speed: Double) -> String {
        ByteCount.string(Int64(min(max(speed.isNaN ? 0 : speed, 0), 9e18))) + "/s"
    }

    /// Formats a time: three digits if it is short, two units if it is long.
    private func time(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0 else { return "--" }
        if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
        guard seconds < 60 else { return TimeLeft.string(seconds) }
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
