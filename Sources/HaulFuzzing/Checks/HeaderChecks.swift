import HaulCore

/// Properties of the headers that determine ranges, versions and waits.
enum HeaderChecks {
    /// Checks `Content-Range`: a range lies within its file, and printed values can be read back.
    static func contentRange(_ text: String) throws(FuzzFinding) {
        guard let parsed = ContentRange(parsing: text) else { return }
        switch parsed {
        case .range(let range, let total):
            try claim(range.lowerBound >= 0 && !range.isEmpty, "a range is never empty: \(range)")
            try claim(total.map { range.upperBound <= $0 } ?? true, "a range lies within its total: \(parsed)")
        case .unsatisfied(let total): try claim(total >= 0, "a total is never negative: \(total)")
        }
        try claim(ContentRange(parsing: parsed.description) == parsed, "what is printed is read back: \(parsed)")
    }

    /// Checks dates: a date that was read can be written and read again, and so can any number of seconds.
    static func date(_ bytes: [UInt8]) throws(FuzzFinding) {
        let text = String(decoding: bytes, as: UTF8.self)
        for now in times {
            guard let seconds = HTTPDate.parse(text, now: now) else { continue }
            // A leap second at the end of the last year is read as the following second.
            try claim((earliest...latest + 1).contains(seconds), "a date lies in years 0 to 9999: \(seconds)")
            try claimReadBack(seconds)
        }
        try claimReadBack(bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) })
    }

    /// Checks `Retry-After`: the wait is never negative and never longer than the cap.
    static func retryAfter(_ text: String) throws(FuzzFinding) {
        for now in times {
            for cap in [Int64.min, 0, 1, 3600, .max] {
                guard let delay = RetryAfter.delay(text, now: now, cap: cap) else { continue }
                try claim((0...max(0, cap)).contains(delay), "a wait lies between 0 and \(cap): \(delay)")
            }
        }
    }

    /// Checks entity tags: agreement is mutual, no version differs from itself, and only a strong tag is sent in
    /// `If-Range`.
    static func entityTags(_ one: String, _ other: String) throws(FuzzFinding) {
        let first = Validators(etag: one)
        let second = Validators(etag: other)
        try claim(
            (first.agreement(with: second) == .different) == (second.agreement(with: first) == .different),
            "a contradiction is mutual")
        try claim(first.agreement(with: first) != .different, "a version is never another one than itself")
        try claim(first.areStrong == (first.agreement(with: first) == .same), "only strong tags prove a version")
        guard let tag = first.ifRange else { return }
        try claimSameBytes(tag, one, "a tag is sent as it came")
        try claim(tag.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a tag that is sent fits a header: \(tag)")
    }

    private static let times: [Int64] = [.min, -1, 0, 1_767_225_600, 253_402_300_799, .max]
    private static let earliest: Int64 = -62_167_219_200
    private static let latest: Int64 = 253_402_300_799

    private static func claimReadBack(_ seconds: Int64) throws(FuzzFinding) {
        let clamped = min(max(seconds, earliest), latest)
        let text = HTTPDate.string(seconds)
        try claim(HTTPDate.parse(text, now: 0) == clamped, "what is printed is read back: \(text) for \(seconds)")
    }
}
