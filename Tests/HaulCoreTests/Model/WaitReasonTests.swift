import HaulCore
import Testing

@Suite("Why a download waits, in words")
struct WaitReasonTests {
    @Test(
        "one download, or several",
        arguments: [
            (WaitReason.turn(limit: 1), "the limit of 1 download is reached"),
            (.turn(limit: 3), "the limit of 3 downloads is reached"),
            (.host("a.example.org", limit: 1), "the limit of 1 download from a.example.org is reached"),
            (.host("a.example.org", limit: 2), "the limit of 2 downloads from a.example.org is reached"),
            (.connections(host: "h", limit: 0), "other downloads use all connections that h allows"),
            (.connections(host: "h", limit: 1), "other downloads use the one connection that h allows"),
            (.connections(host: "h", limit: 2), "other downloads use the 2 connections that h allows"),
        ])
    func counts(reason: WaitReason, text: String) { #expect(reason.description == text) }
}
