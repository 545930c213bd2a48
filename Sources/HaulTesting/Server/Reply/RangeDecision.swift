/// The correct status and part of the file for a request, before faults are added.
struct Answer: Sendable, Equatable {
    let status: Int
    /// The part of the file.
    let range: Range<Int64>
    /// True if the body is a part of the file.
    let isOfTheFile: Bool
}

/// Decides according to RFC 9110, 14.2 and 13.1.5, or as the script says.
struct RangeDecision {
    private let resource: Resource
    private let script: ServerScript
    private let facts: RequestFacts

    init(_ resource: Resource, _ script: ServerScript, _ facts: RequestFacts) {
        self.resource = resource
        self.script = script
        self.facts = facts
    }

    var answer: Answer {
        switch script.kind {
        case .status(let code, _): Answer(status: code, range: 0..<0, isOfTheFile: false)
        case .whole, .raw: whole
        case .multipart: Answer(status: 206, range: asked ?? everything, isOfTheFile: true)
        case .automatic: honest
        case .partCalledWhole: Answer(status: 200, range: honest.range, isOfTheFile: true)
        case .atMost(let count): changed { $0.lowerBound..<min($0.upperBound, $0.lowerBound + max(1, count)) }
        case .moved(let distance): changed { moved($0, by: distance) }
        }
    }

    private var everything: Range<Int64> { 0..<resource.size }
    private var whole: Answer { Answer(status: 200, range: everything, isOfTheFile: true) }
    private var asked: Range<Int64>? { facts.range?.resolved(in: resource.size) }

    private var honest: Answer {
        if let date = facts.header("If-Modified-Since"), facts.range == nil, date == resource.lastModified {
            return Answer(status: 304, range: 0..<0, isOfTheFile: false)
        }
        guard resource.acceptsRanges, facts.range != nil, ifRangeHolds else { return whole }
        guard let asked else { return Answer(status: 416, range: 0..<0, isOfTheFile: false) }
        return Answer(status: 206, range: asked, isOfTheFile: true)
    }

    /// True if If-Range holds, by the strong comparison: a weak tag never matches.
    ///
    /// A date must be exactly equal (RFC 9110, 13.1.5).
    private var ifRangeHolds: Bool {
        guard let condition = facts.header("If-Range"), !script.head.ignoresIfRange else { return true }
        if script.head.refusesIfRange || condition.hasPrefix("W/") { return false }
        return condition == (condition.hasPrefix("\"") ? resource.etag : resource.lastModified)
    }

    private func changed(_ change: (Range<Int64>) -> Range<Int64>) -> Answer {
        let answer = honest
        guard answer.status == 206 else { return answer }
        return Answer(status: 206, range: change(answer.range), isOfTheFile: true)
    }

    private func moved(_ range: Range<Int64>, by distance: Int64) -> Range<Int64> {
        let first = min(max(0, range.lowerBound + distance), max(0, resource.size - 1))
        return first..<max(first, min(resource.size, range.upperBound + distance))
    }
}
