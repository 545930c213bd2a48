import Haul
import HaulCore
import HaulTransport
import Testing

@testable import HaulEngine

@Suite("Which way to log in")
struct ChallengeRulesTests {
    @Test(
        "the names of the ways that a server offers",
        arguments: [
            (["Basic realm=\"a\""], ["basic"]),
            (["Digest realm=\"a, Basic b\", nonce=\"x\", Basic realm=\"c\""], ["digest", "basic"]),
            (["Negotiate", "NTLM"], ["negotiate", "ntlm"]),
            (["Negotiate, NTLM, Basic realm=x"], ["negotiate", "ntlm", "basic"]),
            (["NTLM TlRMTVNTUAACAAAA=="], ["ntlm"]), (["Digest realm = \"a\", qop = \"auth\""], ["digest"]),
            (["DIGEST realm=\"\\\", Basic x\""], ["digest"]), (["", " , ,"], []), (["realm=\"a\""], []),
            (["Bearer error=\"x\"\t,\tBasic"], ["bearer", "basic"]),
            (["Basic realm=\"never closed, Digest x"], ["basic"]),
        ] as [([String], [String])])
    func names(challenges: [String], names: [String]) {
        #expect(Challenges.schemes(in: challenges) == names)
    }

    @Test(
        "the next way, and when there is none",
        arguments: [
            (401, ["Digest realm=a", "Basic realm=a"], false, [], .digest),
            (401, ["Digest realm=a", "Basic realm=a"], false, [.digest], nil),
            (401, ["Digest realm=a", "Basic realm=a"], true, [.digest], .basic),
            (401, ["Digest realm=a"], true, [.basic], .digest),
            (401, ["Basic realm=a"], true, [.basic], nil),
            (401, ["Basic realm=a"], false, [], .basic),
            (401, ["Basic realm=a"], false, [.basic], nil),
            (401, ["Negotiate", "NTLM"], false, [], .ntlm),
            (401, ["Negotiate", "NTLM"], false, [.ntlm], .negotiate),
            (401, ["Bearer x=y"], false, [], nil),
            (401, [], false, [], .basic), (403, [], false, [], .basic), (404, [], false, [], .basic),
            (404, [], true, [.basic], nil), (200, [], false, [], nil), (407, ["Basic realm=a"], false, [], nil),
        ] as [(Int, [String], Bool, [Authentication.Scheme], Authentication.Scheme?)])
    func next(
        status: Int, challenges: [String], isSecure: Bool, tried: [Authentication.Scheme],
        expected: Authentication.Scheme?
    ) {
        let next = ChallengeRules.next(status: status, challenges: challenges, isSecure: isSecure, tried: tried)
        #expect(next == expected)
    }
}
