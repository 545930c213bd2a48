import Haul
import HaulClient
import HaulCore
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import NIOCore
import Testing

@Suite("The API's events", .usesSockets)
struct EventAPITests {
    private static let file = Resource.file(seed: 73, size: 300_000)
    private static let stalls = file.script { _ in .stall(after: 100_000) }

    /// Reads numbered events until one of a kind has come.
    private func events(_ stream: DaemonEvents, until last: EventName) async throws -> [DownloadEvent] {
        var found: [DownloadEvent] = []
        for try await event in stream {
            guard case .download(let event) = event, event.kind.isNumbered else { continue }
            found.append(event)
            if EventName(event.kind) == last { return found }
        }
        return found
    }

    @Test("Every event is replayed from every number, once and in order")
    func replay() async throws {
        try await ServedTrial.run(["/a": Self.file]) { trial in
            let id = try await trial.client.add(trial.request("/a")).id
            try await trial.until(id, .finished)
            _ = try await trial.client.remove(id)
            let all = try await events(trial.client.events(after: 0), until: .removed)
            #expect(all.map(\.number) == Array(1...Int64(all.count)))
            #expect(all.first?.kind == .added && all.contains { EventName($0.kind) == .finished })
            for number in 1..<Int64(all.count) {
                let rest = try await events(trial.remote.events(after: number), until: .removed)
                #expect(rest == Array(all[Int(number)...]))
            }
        }
    }

    @Test("Last-Event-ID goes on as EventSource wants it, and comes before the query")
    func lastEventID() async throws {
        try await ServedTrial.run(["/a": Self.file]) { trial in
            let id = try await trial.client.add(trial.request("/a")).id
            try await trial.until(id, .finished)
            let last = trial.manager.lastEventNumber
            let text = try await RawStream.read(
                trial.port, "/api/v1/events?after=0",
                ["Authorization: Bearer \(trial.token.text)", "Last-Event-ID: \(last - 1)"], until: "event: finished")
            #expect(text.contains("id: \(last)\n") && !text.contains("id: \(last - 1)\n"))
            #expect(text.contains("text/event-stream"))
        }
    }

    @Test("Without a number the present state comes first; progress comes, and the summary where it is wanted")
    func present() async throws {
        try await ServedTrial.run(["/a": Self.stalls]) { trial in
            let id = try await trial.client.add(trial.request("/a")).id
            try await trial.until(id, .running)
            var seen: [String] = []
            for try await event in trial.client.events(interval: .milliseconds(100), summary: true) {
                switch event {
                case .download(let event): seen.append(EventName(event.kind).rawValue)
                case .summary: seen.append("summary")
                case .reset: seen.append("reset")
                }
                if Set(seen).isSuperset(of: ["snapshot", "progress", "summary"]) { break }
            }
            #expect(seen.first == "snapshot" && !seen.contains("reset"))
        }
    }

    @Test("A number that was never given brings a reset, and then what happens from now on")
    func reset() async throws {
        try await ServedTrial.run(["/a": Self.file]) { trial in
            var names: [String] = []
            for try await event in trial.client.events(after: 1_000_000) {
                switch event {
                case .reset(let last):
                    #expect(last == trial.manager.lastEventNumber)
                    _ = try await trial.client.add(trial.request("/a"))
                    names.append("reset")
                case .download(let event): names.append(EventName(event.kind).rawValue)
                case .summary: break
                }
                if names.count == 2 { break }
            }
            #expect(names == ["reset", "added"])
        }
    }

    @Test("Events that are not kept any more bring a reset, too")
    func forgotten() async throws {
        try await ServedTrial.run(["/a": Self.file], { ($0.settings.eventsKept, $0.settings.limit) = (10, 0) }) {
            trial in
            let requests = (0..<1100).map { trial.request("/a", "f\($0)") }
            _ = try await trial.client.add(requests)
            let first = try #require(try await trial.manager.firstEventNumber)
            try #require(first > 2)
            var iterator = trial.client.events(after: 1).makeAsyncIterator()
            #expect(try await iterator.next() == .reset(lastEvent: trial.manager.lastEventNumber))
        }
    }

    @Test("A reader that is slower than events are deleted gets a reset as well")
    func overtaken() async throws {
        try await ServedTrial.run(["/a": Self.file], { ($0.settings.eventsKept, $0.settings.limit) = (10, 0) }) {
            trial in
            _ = try await trial.client.add(trial.request("/a", "first"))
            var iterator = trial.manager.events(since: 0).steps.makeAsyncIterator()
            guard case .event(let event)? = await iterator.next() else { return #expect(Bool(false), "no event") }
            #expect(event.number == 1)
            // All at once, so that the events of the hub go, too.
            _ = try await trial.client.add((0..<3000).map { trial.request("/a", "f\($0)") })
            guard case .skipped(let last)? = await iterator.next() else { return #expect(Bool(false), "not skipped") }
            #expect(last == trial.manager.lastEventNumber)
        }
    }

    @Test("The stream ends when the list is closed, and its readers hear all that happened before")
    func end() async throws {
        try await ServedTrial.run(["/a": Self.stalls]) { trial in
            let id = try await trial.client.add(trial.request("/a")).id
            try await trial.until(id, .running)
            var names: [EventName] = []
            for try await event in trial.client.events() {
                guard case .download(let event) = event else { continue }
                if names.isEmpty { Task { await trial.manager.close() } }
                names.append(EventName(event.kind))
            }
            #expect(names.first == .snapshot && names.contains(.waiting))
        }
    }

    @Test("Who goes away is not served on")
    func gone() async throws {
        try await ServedTrial.run { trial in
            for _ in 0..<5 {
                let channel = try await RawClient.connect(trial.port)
                try await channel.executeThenClose { _, outbound in
                    try await outbound.write(
                        .init(
                            string: "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:\(trial.port)\r\n"
                                + "Authorization: Bearer \(trial.token.text)\r\n\r\n"))
                }
            }
            // What is left of them would keep the daemon from leaving: the trial's end is the test.
            #expect(try await trial.client.info().version == "1.2.3")
        }
    }

    @Test(
        "Options that can't be right are refused",
        arguments: ["after=-1", "after=x", "interval=0", "interval=nan", "progress=1", "x=1"])
    func bad(query: String) async throws {
        try await ServedTrial.run { trial in
            let response = try await trial.raw(
                "GET /api/v1/events?\(query) HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer \(trial.token.text)\r\n"
                    + "Connection: close\r\n\r\n")
            #expect(RawClient.status(response) == 400)
        }
    }
}
