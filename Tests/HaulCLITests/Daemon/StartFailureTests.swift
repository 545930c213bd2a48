import HaulCLI
import HaulCore
import Testing

@Suite("A daemon that did not start")
struct StartFailureTests {
    @Test("Its own words and exit code are passed on; without them the log is named")
    func words() {
        let refused = StartFailure(
            status: 24 << 8, words: "2026-11-23T09:29:18Z notice starting\nhaul: the list is newer\n")
        let error = refused.error(log: "/s/daemon.log")
        #expect(error.code == .catalogueFailed && error.message == "the daemon did not start: the list is newer")
        let silent = StartFailure(status: 24 << 8, words: "").error(log: "/s/daemon.log")
        #expect(silent.code == .catalogueFailed && silent.message.contains("see /s/daemon.log; if"))
        for silent in [StartFailure(status: 9, words: "haul: x"), StartFailure(status: 200 << 8, words: "haul: x")] {
            let error = silent.error(log: "/s/daemon.log")
            #expect(error.code == .internal && error.message.contains("/s/daemon.log"))
        }
    }
}
