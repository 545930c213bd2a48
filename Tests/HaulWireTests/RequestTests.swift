import Foundation
import HaulCore
import HaulWire
import Testing

@Suite("Requests")
struct RequestTests {
    private func request(_ json: String) throws -> DownloadRequest {
        try WireJSON.decode(Checked<DownloadRequest>.self, from: Data(json.utf8)).message
    }

    private func refusal(_ json: String) -> DownloadError? {
        do {
            _ = try request(json).spec(to: .folder(path: "/d"))
            return nil
        } catch {
            return error as? DownloadError
        }
    }

    @Test("A URL alone has the defaults of the library")
    func standard() throws {
        let spec = try request(#"{"url":"http://h/"}"#).spec(to: .folder(path: "/d"))
        #expect(spec == DownloadSpec(url: "http://h/", destination: .folder(path: "/d")))
    }

    @Test("A mirror without a priority is as good as the URL")
    func mirrors() throws {
        let spec = try request(#"{"url":"http://h/","mirrors":[{"url":"http://m/"}]}"#).spec(to: .folder(path: "/d"))
        #expect(spec.mirrors == [DownloadSpec.Mirror(url: "http://m/", priority: 1)])
    }

    @Test(
        "What can't be right is refused with a line that names it",
        arguments: [
            (#"{}"#, "url is missing"), (#"[]"#, "object"), (#"{"url":5}"#, "url must be a string"),
            (#"{"url":"u","priority":1001}"#, "priority must be from -1000 to 1000"),
            (#"{"url":"u","priority":1.5}"#, "not valid JSON"),
            (#"{"url":"u","retries":-1}"#, "retries must be from 0"),
            (#"{"url":"u","rateLimit":-1}"#, "rateLimit must be from 0"),
            (#"{"url":"u","rateLimit":9223372036854775808}"#, "not valid JSON"),
            (#"{"url":"u","connectTimeout":0}"#, "connectTimeout must be"),
            (#"{"url":"u","idleTimeout":1e300}"#, "idleTimeout must be"),
            (#"{"url":"u","maxWait":0}"#, "maxWait must be"),
            (#"{"url":"u","maxTime":86401}"#, "maxTime must be"),
            (#"{"url":"u","minSpeed":{"bytesPerSecond":0,"seconds":5}}"#, "minSpeed must have"),
            (#"{"url":"u","minSpeed":{"bytesPerSecond":1,"seconds":0.5}}"#, "minSpeed must have"),
            (#"{"url":"u","range":{"start":5,"end":5}}"#, "range is empty"),
            (#"{"url":"u","range":{"start":-5,"end":5}}"#, "range is empty"),
            (#"{"url":"u","connections":{"mode":"fixed","limit":0}}"#, "connections.limit must be from 1 to 256"),
            (#"{"url":"u","connections":{"mode":"many","limit":4}}"#, "connections.mode"),
            (#"{"url":"u","checksum":"sha256:zz"}"#, "sha256"), (#"{"url":"u","notBefore":"noon"}"#, "expected a time"),
            (#"{"url":"u","expectedBytes":-1}"#, "expectedBytes must be"), (#"{"url":"u""#, "not valid JSON"),
            ("", "not valid JSON"),
        ])
    func refused(json: String, words: String) throws {
        let error = try #require(refusal(json))
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains(words), "\(error.message)")
    }

    @Test(
        "What reads files or runs programs is no field",
        arguments: [
            "passwordPath", "tokenPath", "netrcPath", "cookiePath", "clientCertificatePath", "clientKeyPath", "hooks",
            "partialFolder", "destination", "allowsPrivateAddresses",
        ])
    func unknownFields(field: String) throws {
        let error = try #require(refusal(#"{"url":"u","\#(field)":"x"}"#))
        #expect(error.code == .invalidRequest && error.message.contains("unknown field \"\(field)\""))
        #expect(throws: DownloadError.self) {
            try WireJSON.decode(
                Checked<BatchRequest>.self, from: Data(#"{"downloads":[{"url":"u","\#(field)":"x"}]}"#.utf8))
        }
    }

    @Test("Times are read with and without fractions, and written to the millisecond")
    func times() {
        #expect(WireJSON.date("2027-01-15T08:00:00.250Z") == Samples.time)
        #expect(WireJSON.time(Samples.time) == "2027-01-15T08:00:00.250Z")
        #expect(WireJSON.date("2027-01-15T08:00:00Z") == Samples.time.addingTimeInterval(-0.25))
        #expect(WireJSON.date("2027-01-15") == nil)
    }

    @Test("Every kind of error has a status of failure", arguments: DownloadError.Code.allCases)
    func statuses(code: DownloadError.Code) {
        #expect((400...599).contains(code.httpStatus))
    }
}
