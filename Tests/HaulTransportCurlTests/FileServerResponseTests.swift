import HTTPTypes
import HaulCore
import Testing

@testable import HaulTransportCurl

@Suite struct FileServerResponseTests {
    private static let now: Int64 = 1_800_000_000

    private func replies(_ line: String) -> FTPReplies {
        var replies = FTPReplies()
        replies.take(Array(line.utf8))
        return replies
    }

    /// All small files and ranges: the engine's own decision takes the answer, or refuses it for the right reason.
    @Test func everySmallRangeOfEverySmallFile() throws {
        for size in Int64(0)...6 {
            for first in Int64(0)...7 {
                for end in [nil] + Array(first + 1...8).map(Optional.some) {
                    let asked = try #require(CurlRange(first: first, end: end))
                    let response = FileServerResponse.sending(asked, size: size, modified: Self.now - 60, now: Self.now)
                    let ask = RangeRequest(offset: first, end: end)
                    let decision = ResponseDecision.decide(ask, response.head, now: Self.now)
                    if first < size {
                        guard case .take(let facts) = decision else { return #expect(Bool(false), "\(decision)") }
                        #expect(facts.offset == first && facts.end == min(size, end ?? size) && facts.total == size)
                        #expect(response.length == min(size, end ?? size) - first)
                        #expect(facts.servesRanges && facts.validators.areStrong)
                    } else if size == 0, first == 0 {
                        guard case .take(let facts) = decision else { return #expect(Bool(false), "\(decision)") }
                        #expect(facts.total == 0 && !facts.servesRanges)
                    } else {
                        #expect(
                            response.head.status.code == 416
                                && response.head.headerFields[.contentRange] == "bytes */\(size)")
                    }
                }
            }
        }
    }

    @Test func whatIsNotKnownIsNotSaid() throws {
        let plain = FileServerResponse.sending(nil, size: nil, modified: nil, now: Self.now)
        #expect(plain.head.status.code == 200)
        #expect(plain.head.headerFields == [.date: HTTPDate.string(Self.now)])
        #expect(plain.length == nil)
        let begin = FileServerResponse.sending(CurlRange(first: 0, end: nil), size: nil, modified: nil, now: Self.now)
        #expect(begin == plain)
        let middle = FileServerResponse.sending(CurlRange(first: 5, end: nil), size: nil, modified: nil, now: Self.now)
        #expect(middle.head.status.code == 416)
        #expect(middle.head.headerFields.isEmpty)
        #expect(
            FileServerResponse.sending(nil, size: 9, modified: nil, now: Self.now).head.headerFields[.contentLength]
                == "9")
        #expect(FileServerResponse.sending(nil, size: nil, modified: 0, now: Self.now) == plain)
    }

    @Test("a date is strong when it is a minute old", arguments: [(0, false), (59, false), (60, true), (-5, false)])
    func strength(age: Int64, isStrong: Bool) {
        let response = FileServerResponse.sending(
            CurlRange(first: 0, end: nil), size: 5, modified: Self.now - age, now: Self.now)
        guard case .take(let facts) = ResponseDecision.decide(RangeRequest(offset: 0), response.head, now: Self.now)
        else {
            return #expect(Bool(false))
        }
        #expect(facts.validators.areStrong == isStrong)
        #expect(facts.modified == Self.now - age)
    }

    @Test(
        arguments: [
            (.loginDenied, "530 Login incorrect.", 401), (.loginDenied, "530 Too many users", 503),
            (.loginDenied, "", 401), (.loginDenied, "430 Wrong password", 401),
            (.loginDenied, "450 Try again later", 503),
            (.weirdServerReply, "421 too many connections", 503), (.weirdServerReply, "530 not now", 401),
            (.weirdServerReply, "500 no", 500), (.remoteFileNotFound, "550 Could not get file size.", 404),
            (.remoteFileNotFound, "550 Permission denied.", 403), (.remoteFileNotFound, "", 404),
            (.ftpCouldNotRetrieve, "550 Failed to open file.", 404), (.ftpCouldNotRetrieve, "450 busy", 503),
            (.ftpCouldNotRetrieve, "425 no data connection", nil), (.ftpCouldNotRetrieve, "426 aborted", nil),
            (.ftpCouldNotRetrieve, "553 Access denied", 403), (.ftpCouldNotRetrieve, "150 coming", nil),
            (.remoteAccessDenied, "550 no such folder", 404), (.remoteAccessDenied, "", 403),
            (.ftpCouldNotRestart, "502 what?", 416), (.badResume, "213 5", 416), (.partialFile, "421 idle", nil),
            (.couldNotConnect, "", nil), (.peerNotVerified, "", nil), (.ok, "226 done", nil),
        ] as [(CurlCode, String, Int?)])
    func refusals(code: CurlCode, reply: String, status: Int?) {
        let head = FileServerResponse.refusal(code, replies(reply), size: 5)?.head
        #expect(head?.status.code == status)
        if let head, status != 416 {
            #expect(head.status.reasonPhrase == (Int(reply.prefix(3)) ?? 0 >= 400 ? reply : ""))
        }
    }

    @Test("a reply that repeats the password is not shown, nor can one move the cursor")
    func hostileReplies() {
        #expect(replies("530 hunter2 is wrong").refusal(hiding: "hunter2") == "530")
        #expect(replies("530 no\u{1B}[2J").refusal(hiding: "") == "530 no\u{FFFD}[2J")
        #expect(replies("550 " + String(repeating: "x", count: 200)).refusal(hiding: "").utf8.count < 100)
        #expect(replies("226 done").refusal(hiding: "") == "")
    }

    @Test(
        arguments: [
            ("bytes=0-", 0, nil), ("bytes=5-9", 5, 10), ("bytes=7-7", 7, 8),
            ("bytes=9223372036854775806-", .max - 1, nil),
        ] as [(String, Int64, Int64?)])
    func askedRanges(text: String, first: Int64, end: Int64?) {
        #expect(CurlRange(parsing: text) == CurlRange(first: first, end: end))
        #expect(CurlRange(parsing: text) != nil)
    }

    @Test(arguments: [
        "", "bytes=", "bytes=-", "bytes=-5", "bytes=5", "bytes=9-5", "bytes=a-", "bytes=1-2,3-4", "items=1-2",
        "bytes=+1-",
        "bytes=99999999999999999999-", "bytes=0-9223372036854775807", "bytes= 1-", "bytes=1-2-3",
    ])
    func otherRanges(text: String) { #expect(CurlRange(parsing: text) == nil) }
}
