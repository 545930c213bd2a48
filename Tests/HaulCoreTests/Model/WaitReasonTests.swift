import HaulCore
import Testing

@Suite("Why a download waits, in words")
struct WaitReasonTests {
    @Test(
        "one download, or several",
        arguments: [
            (WaitReason.turn(limit: 1), "1 download is at work, as many as allowed"),
            (.turn(limit: 3), "3 downloads are at work, as many as allowed"),
            (.host("a.example.org", limit: 1), "1 download of a.example.org is at work, as many as allowed"),
            (.host("a.example.org", limit: 2), "2 downloads of a.example.org are at work, as many as allowed"),
        ])
    func counts(reason: WaitReason, text: String) { #expect(reason.description == text) }
}
