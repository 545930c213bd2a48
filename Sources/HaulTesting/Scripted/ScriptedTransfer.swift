import HaulCore
import HaulLibC
import HaulTransport
import Synchronization

extension ScriptedResponse {
    private static let chunk = 64 << 10

    /// Returns the transfer of this response to a request.
    func transfer(
        of request: TransferRequest, _ sink: any TransferSink, _ clock: TimeSource,
        ended: @escaping @Sendable () -> Void
    ) -> PushedTransfer {
        let rest = BodyRest()
        return PushedTransfer(
            request, sink, chunk: Self.chunk, clock,
            start: {
                switch self.reply(to: request.headers) {
                case .silence: return .silence
                case .failure(let error): return .end(.failed(error))
                case .response(let head, let body):
                    rest.state.withLock { $0.body = body }
                    return .head(head)
                }
            }, next: { size in rest.next(size, self.ending) }, ended: ended)
    }
}

/// The part of a scripted body that is still to be sent.
private final class BodyRest: Sendable {
    let state = Mutex((body: [UInt8](), sent: 0))

    /// Returns the next piece, of at most `size` bytes.
    func next(_ size: Int, _ ending: ScriptedResponse.Break?) -> PushedTransfer.Piece {
        state.withLock { state in
            var end = min(state.body.count, state.sent + size)
            switch ending {
            case .cut(let bytes):
                end = min(end, bytes)
                if state.sent >= bytes {
                    return .end(.failed(TransportError(.cut, "the connection was closed")))
                }
            case .stall(let bytes):
                end = min(end, bytes)
                if state.sent >= bytes { return .silence }
            case nil: break
            }
            guard state.sent < state.body.count else { return .end(.complete) }
            defer { state.sent = end }
            return .bytes(Array(state.body[state.sent..<end]))
        }
    }
}
