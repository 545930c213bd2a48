import HaulCore
import Testing

@Suite("Labels of the system's tasks")
struct SessionLabelTests {
    @Test("a label is read as it was written", arguments: [nil, "\"abc\"", "Wed, 01 Jan 2025 12:00:00 GMT"])
    func roundTrip(version: String?) {
        let label = SessionLabel(download: DownloadID(rawValue: 12), source: "0af3", version: version)
        #expect(SessionLabel(label.description) == label)
    }

    @Test(
        "texts of other programs are not labels",
        arguments: ["", "haul1", "haul1 12", "haul1 12 ", "haul1 0 a", "haul1 x a", "haul2 12 a", "haul1 12 a "])
    func foreign(text: String) { #expect(SessionLabel(text) == nil) }
}
