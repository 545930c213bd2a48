import HaulCLI
import HaulCore
import Testing

@Suite("Failures of a command, by reason")
struct FailureGroupsTests {
    private func text(_ failures: FailureGroups) -> [String] {
        failures.groups.map {
            ($0.name.map { "\($0): " } ?? "") + $0.error.description + ($0.advice.map { ": \($0)" } ?? "")
        }
    }

    @Test("one reason for many downloads is one line, one download's error is its own")
    func grouped() {
        let full = DownloadError(.catalogueFailed, "the list can't be written")
        var failures = FailureGroups()
        failures.add(
            DownloadID(rawValue: 7), DownloadError(.notPossible, "download 7 is finished"), advice: "haul retry 7")
        for id in 10...12 { failures.add(DownloadID(rawValue: Int64(id)), full) }
        failures.addMissing(DownloadID(rawValue: 20))
        failures.add(DownloadID(rawValue: 21), DownloadError(.noSuchDownload, "there is no download 21"))
        #expect(
            text(failures) == [
                "download 7 is finished: haul retry 7", "downloads 10-12: the list can't be written",
                "downloads 20-21 do not exist",
            ])
    }

    @Test("a single missing download")
    func missing() {
        var failures = FailureGroups()
        failures.addMissing(DownloadID(rawValue: 3))
        #expect(text(failures) == ["download 3 does not exist"])
    }
}
