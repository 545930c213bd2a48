import Foundation
import HaulCore
import Testing

@Suite("The body of a request")
struct RequestBodyTests {
    private typealias Body = DownloadSpec.RequestBody

    private static func post(_ body: Body?, method: String? = nil) -> DownloadSpec {
        var spec = DownloadSpec(url: "http://h/a", destination: .folder(path: "/d"))
        (spec.body, spec.method) = (body, method)
        return spec
    }

    @Test(
        "is encoded as text or in base64",
        arguments: [
            (Body("a=ü"), #"{"text":"a=ü"}"#),
            (Body([0xFF, 0], mediaType: "a/b"), #"{"base64":"/wA=","mediaType":"a/b"}"#),
            (Body(""), #"{"text":""}"#),
            (Body("x", mediaType: "a/b").withoutBytes, #"{"fingerprint":"af63f54c86021707","mediaType":"a/b"}"#),
        ])
    fileprivate func coding(body: DownloadSpec.RequestBody, json: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(body)
        #expect(String(decoding: data, as: UTF8.self) == json)
        #expect(try JSONDecoder().decode(DownloadSpec.RequestBody.self, from: data) == body)
    }

    @Test("is in no description, and not stored")
    func secret() throws {
        let spec = Self.post(Body("hunter1", mediaType: "a/b"))
        var dumped = ""
        dump(spec, to: &dumped)
        #expect(!"\(spec) \(String(reflecting: spec)) \(dumped)".contains("hunter"))
        let (stored, lacksSecrets) = spec.withoutSecrets()
        #expect(lacksSecrets && stored.body?.isMissing == true && stored.body?.bytes == [])
        #expect(stored.body?.mediaType == "a/b" && stored.source.requestMethod == "POST")
        #expect(!String(decoding: try JSONEncoder().encode(stored), as: UTF8.self).contains("hunter"))
        #expect(!stored.withoutSecrets().lacksSecrets)
        #expect(stored.stillLacksSecrets(of: stored) && !spec.stillLacksSecrets(of: stored))
    }

    @Test("and the method are part of the key, which a stored body keeps")
    func key() {
        let specs = [
            Self.post(nil), Self.post(nil, method: "POST"), Self.post(Body("")), Self.post(Body("a")),
            Self.post(Body("b")), Self.post(Body("b"), method: "PUT"), Self.post(Body("ab")), Self.post(Body("ba")),
        ]
        #expect(Set(specs.map(\.canonicalKey)).count == specs.count)
        for spec in specs { #expect(spec.withoutSecrets().spec.canonicalKey == spec.canonicalKey) }
        #expect(Self.post(nil, method: "GET").canonicalKey == Self.post(nil).canonicalKey)
    }

    @Test("stays with the server that it was given for")
    func moved() throws {
        var spec = Self.post(Body("a"))
        try spec.move(to: "http://h/b")
        #expect(spec.url == "http://h/b" && spec.body == Body("a"))
        #expect(throws: DownloadError.self) { try spec.move(to: "http://other/b") }
        #expect(spec.url == "http://h/b")
    }
}

@Suite("The form of a request")
struct RequestFormTests {
    @Test("after a redirect")
    func redirects() {
        for status in [300, 301, 302, 303, 307, 308] {
            let get = RequestForm(), post = RequestForm(method: "POST", hasBody: true)
            let put = RequestForm(method: "PUT", hasBody: true)
            #expect(get.following(status) == get)
            #expect(post.following(status) == ([301, 302, 303].contains(status) ? get : post), "\(status)")
            #expect(put.following(status) == (status == 303 ? get : put), "\(status)")
        }
    }
}
