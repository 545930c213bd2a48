/// A response, independent of the server.
package struct Aria2Reply: Hashable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// The media type.
    package var contentType = "application/json-rpc"
    /// The body, which may be empty.
    package var body: [UInt8]
    /// True if the secret was sent, or none is required: a WebSocket then receives notifications.
    package var isAuthorized = false

    /// Creates a response.
    package init(status: Int, body: [UInt8], isAuthorized: Bool = false) {
        self.status = status
        self.body = body
        self.isAuthorized = isAuthorized
    }

    /// True if the connection is closed after the response, as aria2 does after an error.
    package var closes: Bool { status != 200 }
}

extension Aria2Reply {
    /// Returns the response to one call.
    static func call(id: JSON, _ result: Result<JSON, Aria2Failure>) -> JSON {
        switch result {
        case .success(let value): .object(["id": id, "jsonrpc": .string("2.0"), "result": value])
        case .failure(let failure): .object(["id": id, "jsonrpc": .string("2.0"), "error": failure.json])
        }
    }

    /// Returns the response to an invalid call.
    static func failure(_ failure: Aria2Failure) -> Aria2Reply {
        Aria2Reply(status: failure.status, body: call(id: .null, .failure(failure)).bytes)
    }
}
