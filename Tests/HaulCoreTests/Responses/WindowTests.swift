import HTTPTypes
import HaulCore
import Testing

@Suite("Only a part of a resource is wanted")
struct WindowTests {
    /// All windows of up to seven bytes, and those to the end.
    static let windows: [ByteRange] = (0...4 as ClosedRange<Int64>).flatMap { lower in
        ((lower + 1...7) + [Int64.max]).compactMap { ByteRange(lower, $0) }
    }

    static func decide(
        _ ask: RangeRequest, _ status: Int, range: String? = nil, length: Int64? = nil
    ) -> ResponseDecision {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.contentRange] = range
        response.headerFields[.contentLength] = length.map(String.init)
        return ResponseDecision.decide(ask, response, now: 0)
    }

    /// What a right server answers to a `Range` header for a resource of `total` bytes, as decided.
    static func answer(_ ask: RangeRequest, total: Int64) -> ResponseDecision {
        guard let header = ask.rangeHeader else { return decide(ask, 200, length: total) }
        let parts = header.dropFirst("bytes=".count).split(separator: "-").compactMap { Int64($0) }
        guard let first = parts.first, first < total else { return decide(ask, 416, range: "bytes */\(total)") }
        let last = min(parts.count > 1 ? parts[1] : .max, total - 1)
        return decide(ask, 206, range: "bytes \(first)-\(last)/\(total)", length: last - first + 1)
    }

    @Test(
        "first requests: offsets are the file's own, the size is that of the part", arguments: windows,
        0...8 as ClosedRange<Int64>)
    func first(window: ByteRange, total: Int64) {
        let ask = RangeRequest(offset: 0, window: window)
        let size = min(window.upperBound, total) - window.lowerBound
        switch Self.answer(ask, total: total) {
        case .take(let facts):
            #expect(size > 0)
            #expect(facts.offset == 0 && facts.total == size && facts.end ?? 0 >= size && facts.servesRanges)
        case .askWithoutRange: #expect(window.lowerBound == 0 && total == 0)
        case .refuse(let error):
            #expect(window.lowerBound > 0 && total <= window.lowerBound)
            #expect(error.code == .invalidRequest)
        case let other: Issue.record("\(other)")
        }
    }

    @Test("later requests, every offset and end of the file", arguments: windows)
    func later(window: ByteRange) {
        let total: Int64 = 9
        let size = min(window.upperBound, total) - window.lowerBound
        let known = KnownVersion(total: size, validators: Validators())
        for offset in 0..<size {
            for end in offset + 1...size {
                var ask = RangeRequest(offset: offset, end: end, window: window, known: known)
                ask.takesUnproven = true
                #expect(ask.rangeHeader == "bytes=\(window.lowerBound + offset)-\(window.lowerBound + end - 1)")
                guard case .take(let facts) = Self.answer(ask, total: total) else {
                    Issue.record("\(ask)")
                    continue
                }
                #expect(facts.offset == offset && facts.end == end && facts.total == size)
                // The same part of a resource that became shorter or longer: only what changes the part is a change.
                let grown = Self.answer(ask, total: total + 1)
                let isOther = if case .otherVersion = grown { true } else { false }
                #expect(isOther == (window.upperBound == .max))
            }
        }
    }

    @Test("a window to the end asks without an end; the largest numbers do not overflow")
    func headers() throws {
        #expect(RangeRequest(offset: 0, window: ByteRange(100, .max)).rangeHeader == "bytes=100-")
        #expect(RangeRequest(offset: 5, end: 6, window: ByteRange(100, .max)).rangeHeader == "bytes=105-105")
        #expect(
            RangeRequest(offset: 0, window: ByteRange(.max - 2, .max - 1)).rangeHeader
                == "bytes=\(Int64.max - 2)-\(Int64.max - 2)")
        #expect(RangeRequest(offset: 0, usesRange: false, window: ByteRange(0, 5)).rangeHeader == nil)
    }

    @Test("offsets of another place in the resource are never taken", arguments: [0, 99, 101, 5] as [Int64])
    func wrongOffset(first: Int64) {
        let ask = RangeRequest(offset: 0, window: ByteRange(100, 200))
        guard case .rangesBroken = Self.decide(ask, 206, range: "bytes \(first)-199/1000") else {
            return #expect(Bool(false), "taken")
        }
    }

    @Test(
        "the whole does where the part begins at 0, and ends where the part ends",
        arguments: [3, 10, 20, nil] as [Int64?])
    func whole(length: Int64?) {
        for usesRange in [true, false] {
            let ask = RangeRequest(offset: 0, usesRange: usesRange, window: ByteRange(0, 10))
            guard case .take(let facts) = Self.decide(ask, 200, length: length) else {
                return #expect(Bool(false), "refused")
            }
            #expect(facts.total == length.map { min($0, 10) })
            #expect(facts.end == length)
        }
        let later = RangeRequest(offset: 0, window: ByteRange(5, 10))
        guard case .refuse(let error) = Self.decide(later, 200, length: length) else {
            return #expect(Bool(false), "taken")
        }
        #expect(error.code == .badResponse)
    }

    @Test("in the middle, the whole means that ranges were ignored, or that it is another version")
    func wholeLater() {
        let known = KnownVersion(total: 5, validators: Validators())
        let ask = RangeRequest(offset: 2, window: ByteRange(5, 10), known: known)
        guard case .whole(_, .unknown) = Self.decide(ask, 200, length: 100) else {
            return #expect(Bool(false), "not whole")
        }
        guard case .whole(_, .different) = Self.decide(ask, 200, length: 9) else {
            return #expect(Bool(false), "not whole")
        }
    }

    @Test("the whole of the known version is never taken for a part that begins later", arguments: [0, 5] as [Int64])
    func wholeOfKnown(base: Int64) {
        let known = KnownVersion(total: 5, validators: Validators(etag: "\"v\""))
        let ask = RangeRequest(offset: 0, window: ByteRange(base, base + 5), known: known)
        var response = HTTPResponse(status: .ok)
        response.headerFields[.eTag] = "\"v\""
        response.headerFields[.contentLength] = "100"
        switch ResponseDecision.decide(ask, response, now: 0) {
        case .take: #expect(base == 0)
        case .whole(_, .same): #expect(base > 0)
        case let other: Issue.record("\(other)")
        }
    }

    @Test("a part of a whole of unknown size: known where it reaches the wanted end")
    func unknownTotal() {
        let inside = RangeRequest(offset: 0, window: ByteRange(5, 10))
        guard case .take(let facts) = Self.decide(inside, 206, range: "bytes 5-9/*") else {
            return #expect(Bool(false), "refused")
        }
        #expect(facts.total == 5)
        guard case .refuse(let error) = Self.decide(inside, 206, range: "bytes 5-8/*") else {
            return #expect(Bool(false), "taken")
        }
        #expect(error.code == .badResponse)
        #expect(
            Self.decide(RangeRequest(offset: 0, window: ByteRange(0, 10)), 206, range: "bytes 0-8/*")
                == .askWithoutRange)
    }

    @Test("a spec with an empty range, or with a Range header, is refused", arguments: ["Range", "range", "RANGE"])
    func specs(name: String) throws {
        var spec = DownloadSpec(url: "http://h/f", destination: .file(path: "/f"))
        spec.range = ByteRange(5, 5)
        #expect(throws: DownloadError.self) { try MachineConfiguration(spec) }
        spec.range = ByteRange(5, 6)
        #expect(try MachineConfiguration(spec).window == spec.range)
        spec.headers = [.init(name: name, value: "bytes=0-1")]
        let error = #expect(throws: DownloadError.self) { try MachineConfiguration(spec) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("`range`") == true)
    }

    @Test("a resource of another size is another version, although the part has the same size")
    func otherResource() {
        var ask = RangeRequest(offset: 10, window: ByteRange(100, 200))
        ask.known = KnownVersion(total: 100, validators: Validators(etag: "\"v\""))
        ask.known?.resourceTotal = 4_000
        func decide(_ total: Int) -> ResponseDecision {
            .decide(
                ask,
                HTTPResponse(
                    status: .partialContent, headerFields: [.contentRange: "bytes 110-199/\(total)", .eTag: "\"v\""]),
                now: 0)
        }
        guard case .take = decide(4_000) else { return #expect(Bool(false), "the right part is not taken") }
        guard case .otherVersion = decide(4_010) else { return #expect(Bool(false), "another version is taken") }
    }

    @Test(
        "200 with a Content-Range of a part is not the whole file",
        arguments: [
            ("bytes 0-999/1500000", false), ("bytes 500-1499/*", false), ("bytes 0-999/1000", true),
            ("bytes 0-999/*", true),
            ("nonsense", true),
        ], [true, false])
    func partAs200(contentRange: (text: String, isWhole: Bool), hasLength: Bool) {
        // Without a length, only the size in the field can say that the body is the whole file.
        let isTaken = contentRange.isWhole && (hasLength || !contentRange.text.hasSuffix("*"))
        var response = HTTPResponse(status: .ok, headerFields: [.contentRange: contentRange.text])
        if hasLength { response.headerFields[.contentLength] = "1000" }
        switch ResponseDecision.decide(RangeRequest(offset: 0, usesRange: false), response, now: 0) {
        case .take: #expect(isTaken)
        case .refuse(let error): #expect(!isTaken && error.code == .badResponse)
        case let other: Issue.record("\(other)")
        }
        guard case .rangesBroken = ResponseDecision.decide(RangeRequest(offset: 500), response, now: 0) else {
            return #expect(isTaken)
        }
        #expect(!isTaken)
    }
}
