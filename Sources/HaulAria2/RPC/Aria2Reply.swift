/// An answer, for whatever server sends it.
package struct Aria2Reply: Hashable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// The media type.
    package var contentType = "application/json-rpc"
    /// The body; empty where nothing is said.
    package var body: [UInt8]
    /// Whether the secret was shown, or none is needed: a WebSocket that it was shown on may hear notifications.
    package var isAuthorized = false

    /// Makes an answer.
    package init(status: Int, body: [UInt8], isAuthorized: Bool = false) {
        self.status = status
        self.body = body
        self.isAuthorized = isAuthorized
    }

    /// Whether the connection is closed behind it, as aria2 does after an error.
    package var closes: Bool { status != 200 }
}

extension Aria2Reply {
    /// The answer to one call.
    static func call(id: JSON, _ result: Result<JSON, Aria2Failure>) -> JSON {
        switch result {
        case .success(let value): .object(["id": id, "jsonrpc": .string("2.0"), "result": value])
        case .failure(let failure): .object(["id": id, "jsonrpc": .string("2.0"), "error": failure.json])
        }
    }

    /// The answer to what is no call.
    static func failure(_ failure: Aria2Failure) -> Aria2Reply {
        Aria2Reply(status: failure.status, body: call(id: .null, .failure(failure)).bytes)
    }
}
