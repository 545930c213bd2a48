import CHaulCurl
import HTTPTypes
import HaulCore
import HaulTransport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The head: when it is known, and what the sink says to it.
extension CurlTransfer {
    private static let largestDrain = 64 << 10
    private static let maxDrain = Duration.milliseconds(500)

    /// Whether libcurl may answer this answer by itself, with what it learned from it (RFC 9110, section 11.4).
    ///
    /// Then it hands on no body, so the first byte of one, or the end, shows that this is the answer.
    func mayBeHandshake(_ head: HTTPResponse) -> Bool {
        switch head.status.code {
        case 401: request.authentication != nil
        case 407: request.proxy?.credentials != nil
        case _: false
        }
    }

    /// Whether the head that waits asks for a way of signing in that libcurl has tried since, without getting a response to that.
    var isUnansweredChallenge: Bool {
        guard isFirstChallenge, let pendingHead, pendingHead.status.code == 401,
            let authentication = request.authentication
        else { return false }
        let offers = pendingHead.headerFields[values: .wwwAuthenticate].map { $0.lowercased() }
        // Basic needs no challenge, so that a first 401 is the answer to it; Negotiate is not tried without a ticket.
        return authentication.schemes.intersection([.digest, .ntlm]).contains { scheme in
            offers.contains { $0.hasPrefix(scheme.rawValue) }
        }
    }

    /// Gives the sink its head, once.
    func deliver(_ head: HTTPResponse) {
        if isEndedByConnection(head) { session = easy?.session ?? 0 }
        guard session != 0 else {
            return conclude(
                .failed(
                    TransportError(
                        .unusable,
                        "the response has no length, and the TLS library of the installed libcurl does not tell cut "
                            + "connections from ended ones")))
        }
        switch sink.head(head) {
        case .accept:
            phase = .receiving
            if kind.isWeb { expectBody() }
        case .reject:
            let length = head.headerFields[.contentLength].map { Int($0) ?? .max }
            // After 101 the server speaks another protocol (RFC 9110, 15.2.2): there is nothing to wait for.
            guard kind.isWeb, head.status.code != 101, length ?? 0 <= Self.largestDrain else {
                return conclude(.rejected)
            }
            phase = .draining(left: Self.largestDrain)
            deadline = .now + Self.maxDrain
            loop.watch(self)
        }
    }

    /// Sees to it that the body ends where its head says.
    private func expectBody() {
        switch reader.bodyEnd {
        case .libcurl: break
        case .count(let count):
            left = count
            if count == 0 { conclude(.complete) }
        case .chunks: chunks = ChunkDecoder()
        }
    }

    /// Whether only the end of a TLS connection ends the body.
    private func isEndedByConnection(_ head: HTTPResponse) -> Bool {
        kind == .https && (200..<300).contains(head.status.code) && head.status.code != 204
            && head.headerFields[.contentLength] == nil && head.headerFields[.transferEncoding] == nil
    }

    /// The head that is known only now that a body begins, or ends before it began.
    func deliverWaitingHead(isAtEnd: Bool) {
        guard kind.isWeb else { return deliver(fileServerResponse(isAtEnd: isAtEnd)) }
        if let pendingHead { deliver(pendingHead) }
    }

    /// A status instead of libcurl's error.
    ///
    /// A head that waits is the first of a handshake: it is the response only if libcurl could not sign in. If the connection broke
    /// during the handshake, that is what has happened.
    func deliverRefusal(_ code: CurlCode?) {
        guard let code, let easy else { return }
        if let pendingHead {
            if code == .loginDenied || code == .authentication { deliver(pendingHead) }
            return
        }
        let secret = request.authentication?.credentials.password ?? ""
        if !kind.isWeb,
            let refusal = FileServerResponse.refusal(code, replies, size: size(of: easy, isAtEnd: false), hiding: secret)
        {
            deliver(refusal)
        }
    }

    private func deliver(_ response: FileServerResponse) {
        left = response.length
        deliver(response.head)
    }

    private func fileServerResponse(isAtEnd: Bool) -> FileServerResponse {
        guard let easy else { return .refusing(500) }
        let now = Int64(Date().timeIntervalSince1970)
        return .sending(
            asked, size: size(of: easy, isAtEnd: isAtEnd), modified: easy.fact(haul_curl_modified), now: now)
    }

    /// The size of the whole file, if the server named it.
    ///
    /// A file without a byte has the size 0, whatever was named.
    private func size(of easy: CurlEasy, isAtEnd: Bool) -> Int64? {
        let first = asked?.first ?? 0
        let coming = easy.fact(haul_curl_content_length)
        guard kind.isFTP else { return isAtEnd && first == 0 ? 0 : coming.map { $0.saturatingSum(first) } }
        let size = replies.size(dateKnown: easy.fact(haul_curl_modified) != nil)
        // libcurl counts from the same number; where it differs, one of us has misunderstood the server.
        if let size, let coming, coming > 0, coming != size - first { return nil }
        return size ?? (isAtEnd && first == 0 ? 0 : nil)
    }
}
