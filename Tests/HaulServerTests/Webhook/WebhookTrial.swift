import Foundation
import Haul
import HaulCore
import HaulServer
import HaulTesting
import HaulWire
import Logging
import NIOPosix
import Synchronization
import Testing

/// A sender at work for a fault server's `/hook`, with what it has logged.
struct WebhookTrial: Sendable {
    let sender: WebhookSender
    let server: FaultServer
    let log: WebhookLog

    static let secret = "a secret of many letters"

    /// Runs `body` beside the sender, has it finish, and gives back what was asked at `/hook`.
    @discardableResult
    static func run(
        _ hook: Resource, _ others: [String: Resource] = [:], limit: Int = 1000,
        timeout: Duration = .seconds(60), _ body: @Sendable (WebhookTrial) async throws -> Void
    ) async throws -> (requests: [RequestRecord], log: WebhookLog) {
        try await FaultServer.run(others.merging(["/hook": hook]) { $1 }) { server in
            var policy = WebhookPolicy()
            policy.retry.base = .milliseconds(5)
            policy.timeout = timeout
            let settings = try WebhookSettings(url: server.url("/hook") + "?key=unsaid", on: Set(HookEvent.allCases))
            let log = WebhookLog()
            let sender = WebhookSender(
                settings, secret: try WebhookSecret(secret), client: try WebhookClient(settings, timeout: timeout),
                policy: policy, limit: limit, logger: Logger(label: "t") { _ in log })
            let group = MultiThreadedEventLoopGroup.singleton
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { await sender.run(on: group) }
                let trial = WebhookTrial(sender: sender, server: server, log: log)
                let result: Result<Void, any Error>
                do { result = .success(try await body(trial)) } catch { result = .failure(error) }
                sender.finish()
                try await tasks.waitForAll()
                try result.get()
            }
            #expect(!log.text.contains("unsaid") && !log.text.contains(secret))
            return (try await server.settled().requests("/hook"), log)
        }
    }

    /// An occasion that is no download's, told apart by its time.
    static func idle(_ second: Int) -> HookNotification {
        HookNotification(.idle, time: Date(timeIntervalSince1970: Double(second)))
    }

    /// Checks the signature of a request as a receiver does, and reads its message.
    static func message(_ request: RequestRecord) throws -> WebhookMessage {
        let facts = request.facts
        let id = try #require(facts.header("webhook-id"))
        let timestamp = try #require(facts.header("webhook-timestamp").flatMap { Int64($0) })
        let expected = try WebhookSecret(secret).signature(id: id, timestamp: timestamp, body: facts.body)
        #expect(facts.header("webhook-signature") == expected)
        #expect(facts.method == "POST" && facts.header("Content-Type") == "application/json")
        return try WireJSON.decode(WebhookMessage.self, from: Data(facts.body))
    }
}

/// Keeps what is logged.
final class WebhookLog: LogHandler {
    private let lines = Mutex<[String]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let line = "\(event.message) \(event.metadata ?? [:])"
        lines.withLock { $0.append(line) }
    }

    var all: [String] { lines.withLock { $0 } }
    var text: String { all.joined(separator: "\n") }
}
