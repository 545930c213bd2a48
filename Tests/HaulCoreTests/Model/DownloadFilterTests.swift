import HaulCore
import Testing

@Suite("Filters of downloads")
struct DownloadFilterTests {
    @Test(
        "a host is read as in URLs: lower case, Punycode, IPv6 with or without brackets",
        arguments: [
            ("Example.ORG", "example.org"), ("127.0.0.1", "127.0.0.1"), ("bücher.example", "xn--bcher-kva.example"),
            ("::1", "[::1]"), ("[::1]", "[::1]"),
        ])
    func hosts(name: String, expected: String) throws {
        #expect(try DownloadFilter.host(name).hosts == [expected])
        #expect(try DownloadFilter.hostNames([name]) == [expected])
    }

    @Test(
        "what is not the name of a host is refused",
        arguments: ["", "a b", "a/b", "user@h", "h?x", "h#x", "h:8080", "[::1]:8080", "http://h", "a\\b"])
    func notHosts(name: String) {
        let error = #expect(throws: DownloadError.self) { try DownloadFilter.host(name) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("failures are selected by their codes")
    func codes() {
        #expect(DownloadFilter.failed(.notFound, .timedOut).codes == [.notFound, .timedOut])
    }

    @Test("in a request, an empty condition counts as missing, and a text that SQLite would cut is refused")
    func requests() throws {
        var filter = DownloadFilter()
        (filter.text, filter.requiredTags) = ("", [])
        #expect(try filter.checked() == .all)
        filter.groups = []
        #expect(try filter.checked() != .all)
        let bad: [(inout DownloadFilter) -> Void] = [
            { $0.text = "\0a" }, { $0.text = String(repeating: "a", count: 1001) }, { $0.groups = ["g\0"] },
            { $0.tags = ["\0"] }, { $0.requiredTags = ["t\0x"] },
        ]
        for change in bad {
            var filter = DownloadFilter()
            change(&filter)
            let error = #expect(throws: DownloadError.self) { try filter.checked() }
            #expect(error?.code == .invalidRequest)
        }
    }
}
