import Foundation
import HaulCore
import HaulWire
import Testing

@Suite("Messages")
struct MessageTests {
    private func sent<Message: Codable>(_ message: Message) throws -> Message {
        try WireJSON.decode(Message.self, from: try WireJSON.encode(message))
    }

    @Test("Every event comes out as it went in", arguments: Samples.kinds)
    func events(kind: DownloadEvent.Kind) throws {
        let event = DownloadEvent(number: 5, download: DownloadID(rawValue: 7), time: Samples.time, kind: kind)
        var expected = event
        // A time that belongs to the reason is told once.
        if case .waiting(.notBefore(let time), nil) = kind {
            expected.kind = .waiting(.notBefore(time), until: time)
        }
        #expect(try sent(EventMessage(event)).reported == expected)
        #expect(EventMessage(event).event == EventName(kind))
    }

    @Test("Every state comes out as it went in", arguments: Samples.states)
    func states(state: DownloadState) throws {
        let snapshot = Samples.snapshot(state)
        #expect(try sent(DownloadMessage(snapshot)).snapshot == snapshot)
        #expect(DownloadMessage(snapshot).name == "a b")
    }

    @Test(
        "Every destination is told so that it can be asked for again",
        arguments: [
            Destination.file(path: "/d/e/name"), .file(path: "/name"), .folder(path: "/d"), .hashed(folder: "/d"),
        ])
    func destinations(destination: Destination) throws {
        #expect(
            try sent(DownloadMessage(Samples.snapshot(.running, destination))).snapshot.spec.destination == destination)
    }

    @Test("Every option of a spec that is told comes out as it went in")
    func options() throws {
        let spec = try Samples.fullSpec()
        let request = try sent(DownloadRequest(reporting: spec))
        #expect(request.reportedSpec == spec)
    }

    @Test("Only what is not as usual is told of a spec")
    func defaultOptions() throws {
        let request = DownloadRequest(reporting: DownloadSpec(url: "http://h/", destination: .folder(path: "/d")))
        let text = String(decoding: try WireJSON.encode(request), as: UTF8.self)
        #expect(text == #"{"folder":"/d","url":"http://h/"}"#)
    }

    @Test("Neither password nor token is told")
    func secrets() throws {
        var spec = DownloadSpec(url: "http://h/", destination: .folder(path: "/d"))
        (spec.password, spec.bearerToken) = (.text("hidden1"), .text("hidden2"))
        let text = String(decoding: try WireJSON.encode(DownloadRequest(reporting: spec)), as: UTF8.self)
        #expect(!text.contains("hidden") && !text.contains("password") && !text.contains("bearerToken"))
    }

    @Test("A settings patch tells apart what is missing, null, and a value")
    func patches() throws {
        let patch = try WireJSON.decode(
            Checked<SettingsPatch>.self, from: Data(#"{"jobs":null,"rateLimit":5}"#.utf8)
        ).message
        #expect(patch.jobs == SettingsPatch.Change<Int>.none)
        #expect(patch.rateLimit?.value == 5)
        #expect(patch.rateSchedule == nil && patch.jobsPerHost == nil && patch.order == nil)
        #expect(try sent(patch) == patch)
    }

    @Test("A summary counts every state")
    func summary() throws {
        let reported = SummaryMessage(
            DownloadSummary(counts: [.running: 2], speed: 50, connections: 3, isActive: true), bytesLeft: 100,
            lastEvent: 4)
        #expect(Set(reported.counts.keys) == Set(DownloadState.Kind.allCases.map(\.rawValue)))
        #expect(reported.secondsLeft == 2)
        #expect(
            try sent(reported).summary
                == DownloadSummary(counts: [.running: 2], speed: 50, connections: 3, isActive: true))
    }

    @Test(
        "A filter is told and read",
        arguments: [
            DownloadFilter.all, .group("g"), .tag("t"), .state(.failed, .paused), .failed(.notFound, .timedOut),
            (try? .host("H.example")) ?? .all,
        ])
    func filters(filter: DownloadFilter) throws {
        #expect(try sent(FilterMessage(filter)).filter() == filter)
    }
}
