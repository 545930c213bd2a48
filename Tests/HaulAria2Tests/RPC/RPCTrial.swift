import Foundation
import Haul
import HaulAria2
import HaulCore
import HaulTesting
import Testing

/// What a trial changes of the usual settings.
struct RPCSetup {
    var interface: (inout Aria2Configuration) -> Void = { _ in }
    var manager: (inout ManagerConfiguration) -> Void = { _ in }

    static func interface(_ change: @escaping (inout Aria2Configuration) -> Void) -> RPCSetup {
        RPCSetup(interface: change)
    }

    /// Nothing begins.
    static var holding: RPCSetup { RPCSetup(manager: { $0.settings.limit = 0 }) }
}

/// A server, a folder, a manager and aria2's interface over it.
struct RPCTrial: Sendable {
    let folder: TemporaryFolder
    let server: FaultServer
    let manager: DownloadManager
    let rpc: Aria2RPC

    static let file = Resource.file(seed: 31, size: 300_000)
    static let stalls = file.script { _ in .stall(after: 100_000) }

    static func run(
        _ resources: [String: Resource] = [:], _ setup: RPCSetup = RPCSetup(), _ body: (RPCTrial) async throws -> Void
    ) async throws {
        try await FaultServer.run(resources) { server in
            let folder = try TemporaryFolder()
            var configuration = ManagerConfiguration(storage: .inMemory)
            configuration.firstRetryDelay = .milliseconds(5)
            setup.manager(&configuration)
            let manager = try await DownloadManager(configuration)
            var own = Aria2Configuration(roots: Aria2Roots(folder: folder.path, roots: [folder.path]))
            own.refusalDelay = .zero
            own.shutdownDelay = .zero
            do {
                setup.interface(&own)
                try await body(RPCTrial(folder: folder, server: server, manager: manager, rpc: Aria2RPC(manager, own)))
            } catch {
                await manager.close()
                throw error
            }
            await manager.close()
        }
    }

    /// The answer to a call whose parameters are JSON, and its status.
    func reply(_ method: String, _ parameters: String = "[]") async throws -> (status: Int, body: JSON) {
        let text = #"{"jsonrpc":"2.0","id":"x","method":"\#(method)","params":\#(parameters)}"#
        return try await send(text)
    }

    func send(_ text: String) async throws -> (status: Int, body: JSON) {
        let reply = await rpc.response(Array(text.utf8))
        return (reply.status, try JSONReader.read(reply.body))
    }

    /// The result of a call.
    @discardableResult
    func call(_ method: String, _ parameters: String = "[]") async throws -> JSON {
        let (status, body) = try await reply(method, parameters)
        #expect(status == 200, "\(body.line)")
        return try #require(body["result"], "\(body.line)")
    }

    /// The message of a call that is refused.
    func refusal(_ method: String, _ parameters: String = "[]") async throws -> String {
        let (status, body) = try await reply(method, parameters)
        #expect(status == 400)
        #expect(body["error"]?["code"] == .number("1"))
        return try #require(body["error"]?["message"]?.text)
    }

    /// Adds a resource of the server and gives its GID.
    func add(_ path: String, _ options: String = "{}") async throws -> String {
        try #require(await call("aria2.addUri", #"[["\#(server.url(path))"],\#(options)]"#).text)
    }

    /// One key of the status of a download.
    func status(_ gid: String, _ key: String = "status") async throws -> String? {
        try await call("aria2.tellStatus", #"["\#(gid)",["\#(key)"]]"#)[key]?.text
    }

    /// Waits until a download has so many bytes.
    func until(_ gid: String, bytes: Int64) async throws {
        let id = try #require(await rpc.manager.download(key: "aria2:\(gid)")?.id)
        for try await event in manager.events() {
            guard event.download == id else { continue }
            switch event.kind {
            case .progress(let progress) where progress.fileBytes >= bytes: return
            case .snapshot(let snapshot) where snapshot.progress.fileBytes >= bytes: return
            default: continue
            }
        }
    }

    /// Waits until nothing is left to do.
    func idle() async { await manager.idle() }
}
