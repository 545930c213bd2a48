import Foundation
import HaulClient
import HaulCore
import HaulServer
import HaulWire
import Testing

@Suite("The text of an event stream")
struct EventStreamTextTests {
    private static let id = DownloadID(rawValue: 3)

    private func event(_ number: Int64, _ kind: DownloadEvent.Kind) -> DownloadEvent {
        DownloadEvent(number: number, download: Self.id, time: Date(timeIntervalSince1970: 0), kind: kind)
    }

    private func progress(_ bytes: Int64) -> DownloadEvent { event(1, .progress(TransferProgress(fileBytes: bytes))) }

    private func read(_ text: String) -> [EventStreamReader.Message] {
        var reader = EventStreamReader()
        return reader.read(text.utf8)
    }

    @Test("Numbered events have an id, others have none")
    func ids() throws {
        var text = EventStreamText(EventOptions())
        let message = try #require(read(try text.event(event(7, .added))).first)
        #expect(message.event == "added" && message.id == "7")
        _ = try text.event(progress(5))
        #expect(try text.tick(summary: nil).hasPrefix("event: progress\n"))
    }

    @Test("with a long interval, the stream still shows every 15 s that it is there")
    func longInterval() throws {
        var options = EventOptions()
        options.interval = .seconds(60)
        var text = EventStreamText(options)
        #expect(text.tickInterval == .seconds(15))
        _ = try text.event(progress(5))
        for _ in 0..<3 { #expect(try text.tick(summary: nil) == ":\n\n") }
        #expect(try text.tick(summary: nil).hasPrefix("event: progress\n"))
    }

    @Test("Of progress only the newest is told, at the next tick, and before an end")
    func coalescing() throws {
        var text = EventStreamText(EventOptions())
        for bytes in 1...5 { #expect(try text.event(progress(Int64(bytes))) == "") }
        let reported = read(try text.tick(summary: nil))
        #expect(reported.count == 1 && reported[0].data.contains(#""fileBytes":5"#))
        #expect(try text.tick(summary: nil) == "")
        _ = try text.event(progress(6))
        let ended = read(try text.event(event(2, .paused(.asked))))
        #expect(ended.map(\.event) == ["progress", "paused"])
        #expect(try text.tick(summary: nil) == "")
    }

    @Test("Who wants no progress hears none")
    func noProgress() throws {
        var options = EventOptions()
        options.progress = false
        var text = EventStreamText(options)
        _ = try text.event(progress(1))
        #expect(try text.tick(summary: nil) == "")
        #expect(try text.event(event(1, .added)) != "")
    }

    @Test("A summary is told once while it stays the same")
    func summaries() throws {
        var text = EventStreamText(EventOptions())
        let one = SummaryMessage(DownloadSummary(), bytesLeft: 0, lastEvent: 1)
        let other = SummaryMessage(DownloadSummary(), bytesLeft: 0, lastEvent: 2)
        #expect(read(try text.tick(summary: one)).map(\.event) == ["summary"])
        #expect(try text.tick(summary: one) == "")
        #expect(read(try text.tick(summary: other)).count == 1)
    }

    @Test("After 15 s of silence a comment is sent, and nothing that looks like an event")
    func keepAlive() throws {
        var text = EventStreamText(EventOptions())
        var comments = 0
        for tick in 1...90 {
            let written = try text.tick(summary: nil)
            if !written.isEmpty { comments += 1 }
            #expect(written == (tick.isMultiple(of: 30) ? ":\n\n" : ""))
        }
        #expect(comments == 3 && read(":\n\n").isEmpty)
    }

    @Test("A text with line breaks can't end an event or make one")
    func injection() throws {
        var text = EventStreamText(EventOptions())
        let error = DownloadError(.internal, "a\n\nid: 99\nevent: finished\ndata: {}\n\n\r\rb\u{2028}")
        let reported = read(try text.event(event(7, .failed(error))))
        #expect(reported.count == 1 && reported[0].event == "failed" && reported[0].id == "7")
        let message = try WireJSON.decode(EventMessage.self, from: Data(reported[0].data.utf8))
        #expect(message.error == error)
    }
}
