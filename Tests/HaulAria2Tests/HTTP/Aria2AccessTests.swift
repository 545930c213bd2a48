import HaulAria2
import Testing

@Suite("Who may call")
struct Aria2AccessTests {
    static let local = ["localhost:6800", "LOCALHOST", "a.localhost:1", "127.0.0.1:6800", "127.1.2.3", "[::1]:6800"]
    static let foreign = [
        "example.org", "127.0.0.1.example.org:6800", "127.0.0.1.nip.io", "10.0.0.1:6800", "localhost.example", "",
        "127.0.0.256", "[::2]",
    ]

    @Test("without a secret only names of this machine, and only pages of the same origin or extensions")
    func open() {
        let access = Aria2Access()
        for host in Self.local {
            #expect(access.admits(host: host, origin: nil), "\(host)")
            #expect(access.admits(host: host, origin: "http://\(host)"))
            #expect(access.admits(host: host, origin: "moz-extension://x"))
            for origin in ["http://example.org", "null", "http://\(host).example.org", "file://"] {
                #expect(!access.admits(host: host, origin: origin))
            }
        }
        for host in Self.foreign {
            #expect(!access.admits(host: host, origin: nil), "\(host)")
            #expect(!access.admits(host: host, origin: "http://\(host)"))
        }
        #expect(access.admits(host: nil, origin: nil))
        #expect(!access.admits(host: nil, origin: "http://localhost"))
    }

    @Test("with a secret anybody may try; all origins where that is wanted, but no other names")
    func others() {
        #expect(Aria2Access(hasSecret: true).admits(host: "example.org", origin: "http://example.com"))
        let all = Aria2Access(allowsAllOrigins: true)
        #expect(all.admits(host: "localhost", origin: "http://example.com"))
        #expect(!all.admits(host: "example.org", origin: "http://example.org"))
        let everywhere = Aria2Access(listensEverywhere: true)
        #expect(everywhere.admits(host: "nas:6800", origin: nil))
        #expect(!everywhere.admits(host: "nas:6800", origin: "http://example.org"))
    }

    @Test("pages of another origin are told apart from programs")
    func foreign() {
        let access = Aria2Access(hasSecret: true)
        #expect(!access.isForeign(host: "localhost:6800", origin: nil))
        #expect(!access.isForeign(host: "localhost:6800", origin: "http://localhost:6800"))
        for origin in ["http://localhost", "https://example.org", "null", ""] {
            #expect(access.isForeign(host: "localhost:6800", origin: origin))
        }
        #expect(access.isForeign(host: nil, origin: "http://localhost"))
    }
}
