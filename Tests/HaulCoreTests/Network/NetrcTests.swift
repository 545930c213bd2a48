import HaulCore
import Testing

@Suite struct NetrcTests {
    private static let file = """
        # machine commented login no password no
        machine example.org login me password "hun\\"ter\\\\ 2" # behind
        machine EXAMPLE.net
            login anna
            account ignored
            password pass#word
        machine example.net login ben password second
        macdef init
        machine inside login no password no

        machine ::1 login six password p6
        machine bare
        machine colon login a:b password p
        default login anonymous password guest@

        """

    private func find(_ host: String, user: String? = nil, allowsDefault: Bool = false, in text: String = file)
        -> String?
    {
        let found = Netrc(parsing: Array(text.utf8)).credentials(for: host, user: user, allowsDefault: allowsDefault)
        return found.map { $0.user + " " + $0.password }
    }

    @Test(
        arguments: [
            ("example.org", nil, "me hun\"ter\\ 2"), ("Example.Org", nil, "me hun\"ter\\ 2"),
            ("example.net", nil, "anna pass#word"),
            ("example.net", "ben", "ben second"), ("example.net", "carl", nil), ("commented", nil, nil),
            ("inside", nil, nil),
            ("[::1]", nil, "six p6"), ("bare", nil, nil), ("colon", nil, nil), ("a.example.org", nil, nil),
            ("", nil, nil),
        ] as [(String, String?, String?)])
    func finds(host: String, user: String?, credentials: String?) {
        #expect(find(host, user: user) == credentials)
    }

    @Test func theDefaultIsForEveryHostWhereItIsAllowed() {
        #expect(find("elsewhere", allowsDefault: true) == "anonymous guest@")
        #expect(find("example.org", allowsDefault: true) == "me hun\"ter\\ 2")
        #expect(find("elsewhere") == nil)
    }

    @Test(
        arguments: [
            ("machine h login u password p", "u p"), ("machine h\r\n\tlogin u\r\n\tpassword p\r\n", "u p"),
            ("login u password p", nil), ("machine", nil), ("machine h login", nil), ("machine h password p", " p"),
            ("machine h login u", "u "), ("machine \"h\" login \"\" password \"a b\"", " a b"),
            ("machine h login u password \"p", "u p"),
            ("machine h login u password p macdef x", "u p"), ("macdef x\nmachine h login u password p", nil),
            ("macdef x\n\nmachine h login u password p", "u p"),
            ("macdef x\r\nput\r\n\r\nmachine h login u password p", "u p"),
            ("machine h login u password \"a\\tb\"", nil), ("nonsense machine h login u password p", "u p"),
            ("machine h login u password #p", "u #p"), ("#machine h\nmachine h login u password p", "u p"),
        ] as [(String, String?)])
    func forms(text: String, credentials: String?) {
        #expect(find("h", in: text) == credentials)
    }

    @Test func neverShowsAPassword() {
        let netrc = Netrc(parsing: Array("machine h login u password hunter2".utf8))
        var text = "\(netrc)"
        dump(netrc, to: &text)
        #expect(!text.contains("hunter2"))
    }

    @Test func survivesAnyBytes() {
        var fuzz = FuzzText(seed: 3)
        let pieces = [
            "machine ", "h ", "login ", "password ", "\"", "\\", "macdef ", "\n", "\r", "#", "default ", "é", "\u{0}",
        ]
        for _ in 0..<10_000 {
            for text in [fuzz.noise(), fuzz.mixture(of: pieces), fuzz.mutation(of: Self.file)] {
                let found = Netrc(parsing: Array(text.utf8)).credentials(for: "h", allowsDefault: true)
                #expect(found.map { !$0.basicAuthorization.utf8.contains(10) } ?? true)
            }
        }
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &fuzz)).map { _ in UInt8.random(in: 0...255, using: &fuzz) }
            _ = Netrc(parsing: bytes).credentials(for: "h", allowsDefault: true)
        }
    }
}
