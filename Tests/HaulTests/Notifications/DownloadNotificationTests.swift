import Foundation
import Haul
import Testing

@Suite struct DownloadNotificationTests {
    @Test func onlyTheEndOfADownloadIsTold() {
        let kinds = Sample.kinds.map { DownloadNotification(Sample.event($0), snapshot: Sample.snapshot())?.kind }
        #expect(kinds == [nil, nil, nil, nil, nil, nil, nil, nil, nil, .succeeded, .failed, nil, nil, nil])
    }

    @Test func tellsASuccess() throws {
        let reported = try #require(notification(.finished(Sample.finish)))
        #expect(reported.title == "Download finished")
        #expect(reported.body == "a.iso")
        #expect(reported.path == "/d/a.iso")
        #expect(reported.download.rawValue == 7)
    }

    @Test(arguments: [
        ("https://u:p@host/x/b%20c?token=1", "/d/there.iso", "there.iso"), ("https://host/x/b%20c?token=1", nil, "b c"),
        ("https://host/?token=1", nil, "host"), ("no url", nil, "a download"), ("https://host/a", "/", "/"),
    ])
    func namesAFailureAndKeepsSecrets(url: String, path: String?, name: String) throws {
        let snapshot = Sample.snapshot(url: url, path: path)
        let reported = try #require(DownloadNotification(Sample.event(.failed(Sample.error)), snapshot: snapshot))
        #expect(reported.title == "Download failed")
        #expect(reported.body == "\(name): the server has no such file")
        #expect(reported.path == path)
    }

    @Test func holdsNoControlCharacter() {
        let hostile = "a\u{1B}[2J\nb\u{202E}c\0d\u{85}e\u{2028}"
        let reported = DownloadNotification(
            title: hostile, body: hostile, kind: .failed, download: DownloadID(rawValue: 1))
        for text in [reported.title, reported.body] {
            #expect(text == "a\u{FFFD}[2J\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}")
        }
    }

    @Test(arguments: [("x", 1), ("a\u{301}", 2)])
    func isBounded(unit: String, scalars: Int) {
        for count in [0, 1, 79, 80, 81, 299, 300, 301, 5000] {
            let text = String(repeating: unit, count: count)
            let reported = DownloadNotification(
                title: text, body: text, kind: .failed, download: DownloadID(rawValue: 1))
            for (fitted, limit) in [(reported.title, 80), (reported.body, 300)] {
                let fits = count * scalars <= limit
                #expect(fitted.unicodeScalars.count == (fits ? count * scalars : limit))
                #expect(fits ? fitted == text : fitted.hasSuffix("…"))
            }
        }
    }

    private func notification(_ kind: DownloadEvent.Kind) -> DownloadNotification? {
        DownloadNotification(Sample.event(kind), snapshot: Sample.snapshot())
    }
}
