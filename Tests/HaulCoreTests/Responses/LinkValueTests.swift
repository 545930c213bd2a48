import HTTPTypes
import HaulCore
import Testing

@Suite("Link headers")
struct LinkValueTests {
    @Test("links, their relations and parameters")
    func links() {
        let header = """
            <http://a/f>; rel=duplicate; pri=2; geo=de, <http://b/f?x=1,2;y>;rel="Duplicate other";title="a, \\"b\\"; c" ,\
            </x.meta4>; rel=describedby; type="application/metalink4+xml"
            """
        let links = LinkValue.list(header)
        #expect(links.map(\.target) == ["http://a/f", "http://b/f?x=1,2;y", "/x.meta4"])
        #expect(links[1].relations == ["duplicate", "other"])
        #expect(links[1].parameters["title"] == "a, \"b\"; c")
        #expect(links[2].parameters["type"] == "application/metalink4+xml")
        #expect(
            LinkedMirror.list([header]).map { [$0.reference, String($0.priority)] } == [
                ["http://a/f", "2"], ["http://b/f?x=1,2;y", "999999"],
            ])
    }

    @Test("documents that describe the file are Metalinks, and stand in the answer to a redirect as well")
    func descriptions() {
        let name = HTTPField.Name("Link") ?? .location
        var fields: HTTPFields = [.location: "/x"]
        for value in [
            "</a.meta4>; rel=describedby; type=\"application/metalink4+xml\", <m>; rel=duplicate",
            "<b.metalink>; rel=\"x describedby\"; type=\"Application/Metalink+XML; v=3\"",
            "<c>; rel=describedby; type=\"text/html\", <d>; rel=describedby, <e>; rel=self; type=\"application/metalink4+xml\"",
        ] { fields.append(HTTPField(name: name, value: value)) }
        let links = ServerLinks(ResponseHeaders(fields))
        #expect(links.descriptions == ["/a.meta4", "b.metalink"] && links.mirrors.map(\.reference) == ["m"])
        #expect(ServerLinks(ResponseHeaders([:])).areEmpty && !links.areEmpty)
        let response = HTTPResponse(status: .found, headerFields: fields)
        let decision = ResponseDecision.decide(RangeRequest(offset: 0), response, now: 0)
        #expect(decision == .redirect(location: "/x", links: links))
    }

    @Test("at most sixteen, with priorities that make sense")
    func limits() {
        let many = (0..<100).map { "<http://h/\($0)>; rel=duplicate; pri=\($0 - 5)" }
        let mirrors = LinkedMirror.list(many)
        #expect(mirrors.count == 16)
        #expect(mirrors.first?.priority == 1)
        #expect(LinkedMirror.list(["<a>; rel=duplicate; pri=99999999999999999999"]).first?.priority == 999_999)
    }

    @Test(
        "what is malformed is left out",
        arguments: [
            ("", 0), (",,,", 0), ("<", 0), ("<a", 0), ("a; rel=x", 0), ("x, <a>; rel=d", 1), ("<a>", 1),
            ("<a>;;;=;rel", 1),
            ("<a>; rel=\"d", 1), ("<a>; rel=\"d\\", 1), ("<a> junk; rel=d, <b>", 2),
        ])
    func malformed(header: String, count: Int) {
        #expect(LinkValue.list(header).count == count)
    }
}
