import HaulCore
import Testing

@Suite("Why a certificate is not accepted")
struct CertificateFactsTests {
    private static let now: Int64 = 1_800_000_000

    private static func facts(
        _ names: [String] = [], from: Int64 = now - 100, to: Int64 = now + 100, selfSigned: Bool = false
    ) -> CertificateFacts {
        CertificateFacts(names: names, notBefore: from, notAfter: to, isSelfSigned: selfSigned)
    }

    @Test(
        arguments: [
            (facts(to: 1_609_459_200), .certificateExpired, "has expired: it was valid until 2021-01-01"),
            (facts(to: now - 1, selfSigned: true), .certificateExpired, "has expired: it was valid until 2027-01-15"),
            (facts(from: 1_893_456_000, to: .max), .certificateNotYetValid, "is not valid before 2030-01-01"),
            (facts(selfSigned: true), .certificateSelfSigned, "is self-signed"),
            (facts(), .certificateAuthorityUnknown, "was issued by an authority that is not trusted"),
            (facts(to: -1), .certificateExpired, "has expired: it was valid until 1969-12-31"),
            (facts(to: .min), .certificateExpired, "has expired: it was valid until 0000-01-01"),
        ] as [(CertificateFacts, DownloadError.Detail, String)])
    func problems(facts: CertificateFacts, detail: DownloadError.Detail, words: String) {
        #expect(facts.problem(isForOtherHost: false, now: Self.now) == (detail, words))
        #expect(facts.problem(isForOtherHost: true, now: Self.now).detail == .certificateForOtherHost)
    }

    @Test(
        "the names of a certificate for another host",
        arguments: [
            ([], "is for another host"), (["a.test"], "is for a.test, not for this host"),
            (["a.test", "b.test", "c.test"], "is for a.test, b.test, c.test, not for this host"),
            (["a.test", "b.test", "c.test", "d", "e"], "is for a.test, b.test, c.test and 2 more, not for this host"),
            (["a\u{1B}[2Jb"], "is for a\u{FFFD}[2Jb, not for this host"),
        ])
    func names(names: [String], words: String) { #expect(CertificateFacts.forOthers(names) == words) }

    /// A certificate that holds nothing but what is looked at.
    private static func certificate(_ issuer: [UInt8], _ subject: [UInt8], version: Bool = true) -> [UInt8] {
        func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            let count = content.count
            return [tag] + (count < 0x80 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]) + content
        }
        let fields =
            (version ? element(0xA0, [2, 1, 2]) : []) + element(2, [7]) + element(0x30, [6, 0])
            + element(0x30, issuer) + element(0x30, [23, 0, 23, 0]) + element(0x30, subject) + [0xFF]
        return element(0x30, element(0x30, fields) + element(0x30, []))
    }

    @Test("a certificate that names itself as its issuer", arguments: [true, false])
    func selfIssued(version: Bool) {
        let long = [UInt8](repeating: 1, count: 300)
        for (issuer, subject) in [([1, 2], [1, 2]), ([1, 2], [1, 3]), ([], []), (long, long), (long, [1])] {
            let der = Self.certificate(issuer, subject, version: version)
            #expect(CertificateFacts.isSelfIssued(der) == (issuer == subject))
            for count in 0..<min(der.count, 20) { #expect(!CertificateFacts.isSelfIssued(Array(der.prefix(count)))) }
        }
    }
}
