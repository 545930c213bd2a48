import HTTPTypes
import HaulCore
import Testing

@Suite("What a response means")
struct ResponseDecisionTests {
    static let known = KnownVersion(total: 1000, validators: Validators(etag: "\"v1\""))
    static let date = "Sat, 21 Nov 2026 08:00:00 GMT"

    static func decide(_ ask: RangeRequest, _ status: Int, _ fields: [String: String] = [:]) -> ResponseDecision {
        var response = HTTPResponse(status: .init(code: status))
        for (name, value) in fields { response.headerFields.append(HTTPField(name: .init(name)!, value: value)) }
        return ResponseDecision.decide(ask, response, now: 1_795_248_000)
    }

    static func isTaken(_ decision: ResponseDecision) -> ResponseFacts? {
        if case .take(let facts) = decision { facts } else { nil }
    }

    @Test("the first answer, a part from 0: size, validators and ranges are known")
    func firstPart() throws {
        let decision = Self.decide(
            RangeRequest(offset: 0), 206,
            [
                "Content-Range": "bytes 0-999/1000", "Content-Length": "1000", "ETag": "\"v1\"",
                "Last-Modified": Self.date,
            ])
        let facts = try #require(Self.isTaken(decision))
        #expect(facts.total == 1000)
        #expect(facts.end == 1000)
        #expect(facts.servesRanges)
        #expect(facts.validators.strongETag == "\"v1\"")
        #expect(facts.modified == 1_795_248_000)
    }

    @Test("200 at offset 0 is taken; without a length the size is unknown")
    func firstWhole() throws {
        let facts = try #require(Self.isTaken(Self.decide(RangeRequest(offset: 0), 200, ["Content-Length": "77"])))
        #expect(facts.total == 77)
        #expect(!facts.servesRanges)
        #expect(try #require(Self.isTaken(Self.decide(RangeRequest(offset: 0), 200))).total == nil)
    }

    @Test("200 at another offset is never taken")
    func wholeAtOffset() {
        let same = Self.decide(
            RangeRequest(offset: 500, known: Self.known), 200, ["ETag": "\"v1\"", "Content-Length": "1000"])
        guard case .whole(_, .same) = same else { return #expect(Bool(false), "\(same)") }
        let other = Self.decide(
            RangeRequest(offset: 500, known: Self.known), 200, ["ETag": "\"v2\"", "Content-Length": "1000"])
        guard case .whole(_, .different) = other else { return #expect(Bool(false), "\(other)") }
        let size = Self.decide(
            RangeRequest(offset: 500, known: Self.known), 200, ["ETag": "\"v1\"", "Content-Length": "1001"])
        guard case .whole(_, .different) = size else { return #expect(Bool(false), "\(size)") }
        // RFC 9110, 13.1.5: a 200 without the validator of the condition is of another version.
        for fields in [
            ["Content-Length": "1000"], ["Content-Length": "1000", "ETag": "\"\""],
            ["Content-Length": "1000", "Last-Modified": Self.date],
        ] {
            let bare = Self.decide(RangeRequest(offset: 500, known: Self.known), 200, fields)
            guard case .whole(_, .different) = bare else { return #expect(Bool(false), "\(bare)") }
        }
        let weak = Self.decide(
            RangeRequest(offset: 500, known: Self.known), 200, ["ETag": "W/\"v1\"", "Content-Length": "1000"])
        guard case .whole(_, .unknown) = weak else { return #expect(Bool(false), "\(weak)") }
        let blind = Self.decide(RangeRequest(offset: 1, known: nil), 200)
        guard case .whole(_, .unknown) = blind else { return #expect(Bool(false), "\(blind)") }
    }

    @Test(
        "a part that is not the one asked for is never taken",
        arguments: [
            ["Content-Range": "bytes 0-499/1000"],
            ["Content-Range": "bytes 501-999/1000"],
            ["Content-Range": "items 500-999/1000"],
            ["Content-Range": "bytes 500-999/900"],
            ["Content-Range": "bytes */1000"],
            ["Content-Range": "rubbish"],
            [:],
            ["Content-Range": "bytes 500-999/1000", "Content-Length": "400"],
            ["Content-Range": "bytes 500-999/1000", "Content-Length": "-1"],
            ["Content-Range": "bytes 500-999/1000", "Content-Type": "multipart/byteranges; boundary=x"],
            ["Content-Range": "bytes 500-99999999999999999999/1000"],
        ])
    func wrongPart(fields: [String: String]) {
        let decision = Self.decide(RangeRequest(offset: 500, end: 1000, known: Self.known), 206, fields)
        guard case .rangesBroken = decision else { return #expect(Bool(false), "\(decision)") }
    }

    @Test("a part of another version is a change")
    func changed() {
        let ask = RangeRequest(offset: 500, known: Self.known)
        for headers in [
            ["Content-Range": "bytes 500-1000/1001", "ETag": "\"v1\""],
            ["Content-Range": "bytes 500-999/1000", "ETag": "W/\"v2\""],
        ] {
            let other = Self.decide(ask, 206, headers)
            guard case .otherVersion = other else { return #expect(Bool(false), "\(other)") }
        }
        #expect(Self.decide(ask, 416, ["Content-Range": "bytes */400"]) == .changed)
    }

    @Test("less than asked for is fine, an unknown total too")
    func less() throws {
        let ask = RangeRequest(offset: 500, end: 1000, known: Self.known)
        let less = try #require(
            Self.isTaken(Self.decide(ask, 206, ["Content-Range": "bytes 500-600/1000", "ETag": "\"v1\""])))
        #expect(less.end == 601)
        let star = try #require(
            Self.isTaken(Self.decide(ask, 206, ["Content-Range": "bytes 500-999/*", "ETag": "\"v1\""])))
        #expect(star.total == 1000)
    }

    @Test("416 is never success: without a known version the whole is asked for")
    func unsatisfiable() {
        #expect(Self.decide(RangeRequest(offset: 0), 416, ["Content-Range": "bytes */0"]) == .askWithoutRange)
        let within = Self.decide(RangeRequest(offset: 500, known: Self.known), 416, ["Content-Range": "bytes */1000"])
        guard case .rangesBroken = within else { return #expect(Bool(false), "\(within)") }
        #expect(Self.decide(RangeRequest(offset: 0, usesRange: false), 416) == .tryAgain(status: 416))
    }

    @Test("no range asked, a part answered: taken if it is all of the file", arguments: [9, 8], ["10", "*"])
    func unasked(last: Int, total: String) throws {
        let fields = ["Content-Range": "bytes 0-\(last)/\(total)"]
        let decision = Self.decide(RangeRequest(offset: 0, usesRange: false), 206, fields)
        if last == 9, total == "10" {
            let facts = try #require(Self.isTaken(decision))
            #expect(facts.ranges == .shown && facts.total == 10)
        } else {
            guard case .refuse(let error) = decision else { return #expect(Bool(false), "\(decision)") }
            #expect(error.code == .badResponse)
        }
    }

    @Test(
        "what a whole file shows of ranges",
        arguments: [(nil, .unknown), ("bytes", .promised), ("Bytes", .promised), ("none", .refused), ("x", .unknown)]
            as [(String?, RangeSupport)])
    func ranges(header: String?, support: RangeSupport) throws {
        let fields = header.map { ["Accept-Ranges": $0] } ?? [:]
        let plain = Self.decide(RangeRequest(offset: 0, usesRange: false), 200, fields)
        #expect(Self.isTaken(plain)?.ranges == support)
        // Whatever it says: it was asked for a range and did not send one.
        #expect(Self.isTaken(Self.decide(RangeRequest(offset: 0), 200, fields))?.ranges == .refused)
    }

    @Test("compressed in spite of identity: refused, unless the file itself is the archive", arguments: [200, 206])
    func encoded(status: Int) {
        let range = ["Content-Range": "bytes 0-9/10"]
        func decide(_ fields: [String: String]) -> ResponseDecision {
            Self.decide(RangeRequest(offset: 0), status, fields.merging(range) { one, _ in one })
        }
        for encoding in ["gzip", "br", "GZIP", "deflate, gzip", "zstd"] {
            guard case .refuse(let error) = decide(["Content-Encoding": encoding, "Content-Type": "text/html"]) else {
                return #expect(Bool(false), "\(encoding)")
            }
            #expect(error.code == .contentEncoded)
        }
        for coding in ["gzip", "gzip, chunked", "Deflate,chunked"] {
            guard case .refuse(let error) = decide(["Transfer-Encoding": coding, "Content-Type": "application/gzip"])
            else { return #expect(Bool(false), "\(coding)") }
            #expect(error.code == .contentEncoded)
        }
        for coding in ["chunked", "Chunked", "identity, chunked", ""] {
            #expect(Self.isTaken(decide(["Transfer-Encoding": coding])) != nil)
        }
        #expect(Self.isTaken(decide(["Content-Encoding": "identity"])) != nil)
        #expect(Self.isTaken(decide(["Content-Encoding": "x-gzip", "Content-Type": "application/x-gzip"])) != nil)
    }

    @Test("every status has one meaning")
    func statuses() {
        let ask = RangeRequest(offset: 0)
        #expect(Self.decide(ask, 302, ["Location": "/x"]) == .redirect(location: "/x"))
        guard case .refuse = Self.decide(ask, 302) else { return #expect(Bool(false)) }
        #expect(Self.decide(ask, 429, ["Retry-After": "7"]) == .busy(status: 429, retryAfter: 7))
        #expect(Self.decide(ask, 503) == .busy(status: 503, retryAfter: nil))
        for status in [401, 403, 404, 407, 410] { #expect(Self.decide(ask, status) == .denied(status: status)) }
        for status in [408, 425, 500, 502, 504] { #expect(Self.decide(ask, status) == .tryAgain(status: status)) }
        let taken: Set<Int> = [200, 203]
        for status in 100..<600 where !taken.contains(status) {
            #expect(Self.isTaken(Self.decide(ask, status)) == nil, "\(status) carries no file")
        }
    }

    @Test("a date is strong only if it is a minute older than the answer (RFC 9110, 8.8.2.2)")
    func strongDate() throws {
        func facts(_ date: String) throws -> ResponseFacts {
            let fields = ["Last-Modified": Self.date, "Date": date]
            return try #require(Self.isTaken(Self.decide(RangeRequest(offset: 0), 200, fields)))
        }
        #expect(try facts("Sat, 21 Nov 2026 08:01:00 GMT").validators.dateIsStrong)
        #expect(try !facts("Sat, 21 Nov 2026 08:00:59 GMT").validators.dateIsStrong)
        #expect(try !facts("Sat, 21 Nov 2026 07:00:00 GMT").validators.dateIsStrong)
    }

    @Test("a length that is no number is refused", arguments: ["-5", "1e3", "99999999999999999999999", "", " "])
    func badLength(text: String) {
        guard case .refuse = Self.decide(RangeRequest(offset: 0), 200, ["Content-Length": text]) else {
            return #expect(text.trimmingPrefix(" ").isEmpty, "\(text)")
        }
    }
}
