import HTTPTypes
import HaulCore
import Testing

@Suite("The verdict on a file that the system has transferred")
struct DeliveryVerdictTests {
    private static func judge(
        _ status: Int, _ headers: [(HTTPField.Name, String)], size: Int64 = 100, continuing version: String? = nil
    ) -> DeliveryVerdict {
        var response = HTTPResponse(status: HTTPResponse.Status(code: status))
        for (name, value) in headers { response.headerFields[name] = value }
        return DeliveryVerdict.judge(response, size: size, continuing: version, now: 1_750_000_000)
    }

    private static func whole(_ verdict: DeliveryVerdict) -> HTTPFields? {
        if case .whole(let head) = verdict, head.status == .ok { head.headerFields } else { nil }
    }

    private static func code(_ verdict: DeliveryVerdict) -> DownloadError.Code? {
        if case .unusable(let error, _) = verdict { error.code } else { nil }
    }

    @Test("a file of the announced size is whole; so is one whose size was not announced")
    func whole() {
        #expect(Self.whole(Self.judge(200, [(.contentLength, "100")]))?[.contentLength] == "100")
        #expect(Self.whole(Self.judge(200, [(.transferEncoding, "chunked")]))?[.contentLength] == "100")
    }

    @Test("a file of another size is fetched again")
    func wrongSize() {
        #expect(Self.code(Self.judge(200, [(.contentLength, "101")])) == .badResponse)
        #expect(Self.code(Self.judge(206, [(.contentRange, "bytes 0-99/101")])) == .badResponse)
        #expect(Self.code(Self.judge(206, [])) == .badResponse)
    }

    @Test("parts are joined under the same strong validator only")
    func parts() {
        let fields: [(HTTPField.Name, String)] = [
            (.contentRange, "bytes 40-99/100"), (.eTag, "\"v1\""), (.contentLength, "60"),
        ]
        let verdict = Self.judge(206, fields, continuing: "\"v1\"")
        #expect(Self.whole(verdict)?[.contentLength] == "100" && Self.whole(verdict)?[.contentRange] == nil)
        #expect(Self.code(Self.judge(206, fields, continuing: "\"v2\"")) == .sourceChanged)
        #expect(Self.code(Self.judge(206, fields)) == .sourceChanged)
        #expect(
            Self.code(Self.judge(206, [(.contentRange, "bytes 40-99/100"), (.eTag, "W/\"v1\"")])) == .sourceChanged)
        #expect(Self.whole(Self.judge(206, [(.contentRange, "bytes 0-99/100")])) != nil)
    }

    @Test("a whole file that replaced the one of another version is taken")
    func replaced() {
        let verdict = Self.judge(200, [(.contentLength, "100"), (.eTag, "\"v2\"")], continuing: "\"v1\"")
        #expect(Self.whole(verdict) != nil)
    }

    @Test("a compressed response is refused for good")
    func compressed() {
        let verdict = Self.judge(200, [(.contentEncoding, "gzip"), (.contentType, "application/gzip")])
        guard case .unusable(let error, .never) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(error.code == .contentEncoded)
        #expect(Self.whole(Self.judge(200, [(.contentEncoding, "identity")])) != nil)
    }

    @Test("a busy server is asked again after the time that it wants, and an error page is passed on")
    func others() {
        let busy = Self.judge(503, [(.retryAfter, "30")])
        guard case .unusable(let error, .after(seconds: 30)) = busy else {
            Issue.record("\(busy)")
            return
        }
        #expect(error.code == .serverBusy && error.status == 503)
        #expect(Self.code(Self.judge(500, [])) == .serverBusy)
        for status in [404, 403, 304, 451] {
            guard case .other(let head) = Self.judge(status, []) else {
                Issue.record("\(status)")
                return
            }
            #expect(head.status.code == status)
        }
    }
}
