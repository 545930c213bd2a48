import HaulCore
import Testing

@testable import HaulLocal

@Suite("The disk of the list")
struct ListTroubleTests {
    private let start = ContinuousClock.now

    @Test("does not respond if an access has not ended after 10 s", arguments: [ListTrouble.Access.change, .sync])
    func silent(access: ListTrouble.Access) {
        let trouble = ListTrouble()
        trouble.begin(access, at: start)
        #expect(trouble.error(at: start + .milliseconds(9999)) == nil)
        #expect(
            trouble.error(at: start + .milliseconds(12_900))
                == DownloadError(
                    .catalogueFailed, "the disk with the list of downloads has not responded for 12 s"))
        trouble.end(access)
        #expect(trouble.error(at: start + .seconds(60)) == nil)
    }

    @Test("is judged by the oldest access")
    func oldest() {
        let trouble = ListTrouble()
        trouble.begin(.sync, at: start)
        trouble.begin(.change, at: start + .seconds(30))
        #expect(trouble.error(at: start + .seconds(31))?.message.hasSuffix("for 31 s") == true)
        trouble.end(.sync)
        #expect(trouble.error(at: start + .seconds(31)) == nil)
    }

    @Test("is judged by the first of several syncs, which follow one another")
    func syncs() {
        let trouble = ListTrouble()
        for second in [0, 4, 8] { trouble.begin(.sync, at: start + .seconds(second)) }
        #expect(trouble.error(at: start + .seconds(11)) != nil)
        trouble.end(.sync)
        #expect(trouble.error(at: start + .seconds(11)) == nil)
        #expect(trouble.error(at: start + .seconds(14)) != nil)
        for _ in 0..<2 { trouble.end(.sync) }
        #expect(trouble.error(at: start + .seconds(60)) == nil)
    }

    @Test("that fails says why, also while another access has not ended")
    func failing() {
        let (trouble, error) = (ListTrouble(), DownloadError(.catalogueFailed, "full"))
        trouble.begin(.sync, at: start)
        #expect(trouble.fail(error, at: start))
        #expect(trouble.error(at: start + .seconds(60)) == error)
    }
}
