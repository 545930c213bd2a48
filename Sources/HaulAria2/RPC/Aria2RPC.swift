package import Haul
import HaulCore
import Synchronization

/// aria2's JSON-RPC interface to a manager: it converts the bytes of a request to a response.
///
/// Sockets are left to the server.
///
///     bytes ─► JSON ─► token ─► method ─► manager
///                                  │
///     reply ◄─ JSON ◄──────────────┘        manager's events ─► notifications
///
/// The methods and their errors are described in the aria2 manual, section RPC INTERFACE; the differences in
/// docs/aria2.md.
package final class Aria2RPC: Sendable {
    /// The manager; all of its downloads are visible, however they were added.
    package let manager: DownloadManager
    /// The configuration.
    package let configuration: Aria2Configuration
    /// The session id, which is new for each start of the program.
    package let sessionID: String
    /// The options for all downloads, including clients' changes.
    let common: Mutex<Aria2Options>
    /// The order of clients' changes of these options.
    let order = Mutex(Aria2ChangeOrder())
    /// The downloads that follow Metalinks.
    let relations = Mutex(Aria2Relations())

    /// Creates the interface of a manager.
    package init(_ manager: DownloadManager, _ configuration: Aria2Configuration) {
        self.manager = manager
        self.configuration = configuration
        common = Mutex(configuration.options)
        sessionID =
            (GID.random().description + GID.random().description + GID.random().description).prefix(40)
            .description
    }

    /// The options for all downloads.
    package var options: Aria2Options { common.withLock { $0 } }

    /// Responds to the body of a POST, or the text of a WebSocket.
    package func response(_ body: [UInt8]) async -> Aria2Reply {
        guard body.count <= configuration.maxBytes else { return .failure(.invalidRequest) }
        do throws(JSONReader.Failure) {
            return await response(try JSONReader.read(body))
        } catch {
            return .failure(error.isDuplicate ? .invalidRequest : .parseError)
        }
    }

    /// Responds to a call, or a list of them.
    func response(_ request: JSON) async -> Aria2Reply {
        var desk = Aria2Desk(secret: configuration.secret)
        let reply: Aria2Reply
        if let requests = request.elements {
            guard requests.count <= Self.maxCalls else { return .failure(.invalidRequest) }
            var answers: [JSON] = []
            // Elements of a list that are not objects are ignored, as in aria2.
            for request in requests where request.members != nil {
                let (id, result) = await call(request, &desk)
                answers.append(Aria2Reply.call(id: id, result))
            }
            reply = Aria2Reply(status: 200, body: JSON.array(answers).bytes, isAuthorized: desk.isAuthorized)
        } else {
            let (id, result) = await call(request, &desk)
            var status = 200
            if case .failure(let failure) = result { status = failure.status }
            reply = Aria2Reply(
                status: status, body: Aria2Reply.call(id: id, result).bytes, isAuthorized: desk.isAuthorized)
        }
        // The sleep ends early if the client has disconnected.
        if desk.hasRefused { try? await Task.sleep(for: configuration.refusalDelay) }
        return reply
    }

    /// The maximum number of calls in one list.
    static let maxCalls = 10_000

    private func call(_ request: JSON, _ desk: inout Aria2Desk) async -> (JSON, Result<JSON, Aria2Failure>) {
        guard request.members != nil else { return (.null, .failure(.parseError)) }
        let id: JSON
        switch request["id"] {
        case .string(let text): id = .string(text)
        case .number(let text): id = .number(text)
        case .null: id = .null
        case .bool, .array, .object, nil: return (.null, .failure(.invalidRequest))
        }
        guard let name = request["method"]?.text else { return (id, .failure(.invalidRequest)) }
        let parameters = request["params"] ?? .array([])
        guard let values = parameters.elements else { return (id, .failure(.invalidParameters)) }
        do throws(Aria2Failure) {
            return (id, .success(try await perform(name, values, &desk)))
        } catch {
            return (id, .failure(error))
        }
    }

    /// Executes one call.
    private func perform(_ name: String, _ values: [JSON], _ desk: inout Aria2Desk) async throws(Aria2Failure) -> JSON {
        let method = Aria2Method(rawValue: name)
        if method == .multicall { return try await multicall(values, &desk) }
        let rest = try desk.admit(values, isOpen: method.map(Aria2Method.open.contains) ?? false)
        guard let method else { throw .noSuchMethod(name) }
        return try await perform(method, Aria2Parameters(rest))
    }

    /// Executes several calls; each result is a list with a value, or an error.
    private func multicall(_ values: [JSON], _ desk: inout Aria2Desk) async throws(Aria2Failure) -> JSON {
        // A token of the outer call is ignored.
        let rest = values.first?.text?.hasPrefix(Aria2Desk.prefix) == true ? Array(values.dropFirst()) : values
        guard !rest.isEmpty else { throw .missing(0) }
        guard let calls = rest.first?.elements, calls.count <= Self.maxCalls else { throw .wrongType(0) }
        var results: [JSON] = []
        for each in calls {
            do throws(Aria2Failure) {
                guard each.members != nil else { throw .refused("system.multicall expected struct.") }
                guard let name = each["methodName"]?.text, let values = (each["params"] ?? .array([])).elements else {
                    throw .refused("Missing methodName.")
                }
                guard name != Aria2Method.multicall.rawValue else {
                    throw .refused("Recursive system.multicall forbidden.")
                }
                results.append(.array([try await perform(name, values, &desk)]))
            } catch {
                results.append(error.json)
            }
        }
        return .array(results)
    }
}
