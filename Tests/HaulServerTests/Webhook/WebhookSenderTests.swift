import Foundation
import Haul
import HaulClient
import HaulCore
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import Logging
import NIOPosix
import Testing

@Suite("A webhook is told", .usesSockets)
struct WebhookSenderTests {
    @Test("In order, signed, each with an identity of its own")
    func order() async throws {
        let seen = try await WebhookTrial.run(.text("ok")) { trial in
            for second in 1...5 { trial.sender.receive(WebhookTrial.idle(second)) }
        }
        #expect(try seen.requests.map { try WebhookTrial.message($0).time.timeIntervalSince1970 } == [1, 2, 3, 4, 5])
        #expect(Set(seen.requests.map { $0.facts.header("webhook-id") }).count == 5)
        #expect(seen.requests.allSatisfy { $0.facts.query == "key=unsaid" })
        #expect(seen.log.all.isEmpty)
    }

    @Test("500 and then 200: the same message again, and nothing in the log")
    func again() async throws {
        let seen = try await WebhookTrial.run(.text("ok").script { $0.number == 1 ? .status(500) : .normal }) { trial in
            trial.sender.receive(WebhookTrial.idle(1))
        }
        #expect(seen.requests.map(\.status) == [500, 200])
        #expect(Set(seen.requests.map { $0.facts.header("webhook-id") }).count == 1)
        #expect(Set(seen.requests.map(\.facts.body)).count == 1)
        #expect(seen.log.all.isEmpty)
    }

    @Test("One that never takes it: five attempts, one line, and the next message follows")
    func refusing() async throws {
        let hook = Resource.text("ok").script { $0.number <= 5 ? .status(503) : .normal }
        let seen = try await WebhookTrial.run(hook) { trial in
            trial.sender.receive(WebhookTrial.idle(1))
            trial.sender.receive(WebhookTrial.idle(2))
        }
        #expect(seen.requests.map(\.status) == [503, 503, 503, 503, 503, 200])
        #expect(try WebhookTrial.message(try #require(seen.requests.last)).time.timeIntervalSince1970 == 2)
        #expect(seen.log.all.count == 1 && seen.log.text.contains("returned 503"), "\(seen.log.text)")
    }

    @Test(
        "One that hangs before its head, or cuts: after the time of an attempt it is asked again",
        arguments: [
            ServerScript.silence(), .emptyReply(), .reset(), .garbage(Array("nonsense\r\n\r\n".utf8)),
            .raw(Array("HTTP/1.1 000 X\r\nContent-Length: 5\r\n\r\nhello".utf8), closes: false),
        ])
    func hanging(script: ServerScript) async throws {
        let hook = Resource.text("ok").script { $0.number == 1 ? script : .normal }
        let seen = try await WebhookTrial.run(hook, timeout: .milliseconds(500)) { trial in
            trial.sender.receive(WebhookTrial.idle(1))
        }
        #expect(seen.requests.map(\.status).last == 200 && seen.requests.count >= 2, "\(seen.log.text)")
        #expect(seen.log.all.isEmpty)
    }

    @Test("A body that never ends is not waited for", arguments: [ServerScript.stall(after: 1), .endless()])
    func endless(script: ServerScript) async throws {
        let seen = try await WebhookTrial.run(.file(seed: 1, size: 1_000_000).script(script)) { trial in
            trial.sender.receive(WebhookTrial.idle(1))
            trial.sender.receive(WebhookTrial.idle(2))
        }
        #expect(seen.requests.count == 2 && seen.log.all.isEmpty)
    }

    @Test(
        "A redirect is followed nowhere, and a refusal is the last word",
        arguments: [301, 302, 307, 308, 400, 401, 404, 410])
    func refused(status: Int) async throws {
        let hook = Resource.text("").script(.status(status, ["Location": "/other"]))
        let seen = try await WebhookTrial.run(hook, ["/other": .text("x")]) { trial in
            trial.sender.receive(WebhookTrial.idle(1))
            try await trial.server.until { !$0.requests("/hook").isEmpty }
            #expect(trial.server.requests("/other").isEmpty)
        }
        #expect(seen.requests.count == 1 && seen.log.all.count == 1)
    }

    @Test("The queue is bounded: the oldest go, with one line, and the sum once it goes on")
    func bounded() async throws {
        let hook = Resource.text("ok").script { $0.number == 1 ? .silence() : .normal }
        let seen = try await WebhookTrial.run(hook, limit: 3, timeout: .seconds(2)) { trial in
            trial.sender.receive(WebhookTrial.idle(0))
            try await trial.server.until { $0.requests.count == 1 }
            for second in 1...50 { trial.sender.receive(WebhookTrial.idle(second)) }
        }
        let times = try seen.requests.map { try WebhookTrial.message($0).time.timeIntervalSince1970 }
        #expect(times == [0, 0, 48, 49, 50])
        #expect(
            seen.log.all.count == 2 && seen.log.text.contains("dropped: 47")
                || seen.log.text.contains("\"dropped\": 47"))
    }

    @Test("An end that can't wait: what is left is told of in one line")
    func cancelled() async throws {
        try await FaultServer.run(["/hook": Resource.text("").script(.silence())]) { server in
            let settings = try WebhookSettings(url: server.url("/hook"))
            let log = WebhookLog()
            let sender = WebhookSender(
                settings, secret: nil, client: try WebhookClient(settings, timeout: .seconds(60)),
                logger: Logger(label: "t") { _ in log })
            for second in 1...3 { sender.receive(WebhookTrial.idle(second)) }
            let run = Task { await sender.run(on: .singletonMultiThreadedEventLoopGroup) }
            try await server.until { !$0.requests.isEmpty }
            run.cancel()
            await run.value
            #expect(log.all.count == 2 && log.text.contains("messages"), "\(log.text)")
            #expect(server.log.requests.first?.facts.header("webhook-signature") == nil)
        }
    }

    @Test("Downloads: the event and the download as the API has them; a receiver that hangs holds nothing up")
    func downloads() async throws {
        let seen = try await WebhookTrial.run(
            .text("ok").script { $0.number == 1 ? .silence() : .normal }, timeout: .seconds(1)
        ) {
            trial in
            let resources = [
                "/good": Resource.file(seed: 1, size: 5000), "/bad": Resource.text("").script(.status(404)),
            ]
            try await ServedTrial.run(resources, { $0.listener = trial.sender.listener }) { served in
                let good = try await served.client.add(served.request("/good")).id
                let bad = try await served.client.add(served.request("/bad")).id
                try await served.until(good, .finished)
                try await served.until(bad, .failed)
            }
        }
        let reported = try seen.requests.dropFirst().map { try WebhookTrial.message($0) }
        let ends = reported.filter { $0.on == .completed || $0.on == .failed }
        #expect(
            reported.filter { $0.on == .added }.count == 2 && reported.contains { $0.on == .idle && $0.download == nil }
        )
        let good = try #require(ends.first { $0.on == .completed })
        #expect(good.event?.event == .finished && good.event?.finish?.totalBytes == 5000)
        #expect(
            good.download?.state == .finished && good.download?.name == "good"
                && good.event?.download == good.download?.id)
        let bad = try #require(ends.first { $0.on == .failed })
        #expect(bad.event?.error?.code == bad.download?.error?.code && bad.download?.state == .failed)
    }
}
