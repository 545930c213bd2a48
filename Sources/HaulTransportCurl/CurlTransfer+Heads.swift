import CHaulCurl
import HTTPTypes
import HaulCore
import HaulTransport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The head: the time at which it is known, and the sink's verdict.
extension CurlTransfer {
    /// Returns true if libcurl may react to this response by itself, with an authenticated request (RFC 9110, section
    /// 11.4).
    ///
    /// In that case it delivers no body, so the first byte of a body, or the end, shows that this is the response.
    func mayBeHandshake(_ head: HTTPResponse) -> Bool {
        switch head.status.code {
        case 401: request.authentication != nil
        case 407: request.proxy?.credentials != nil
        case _: false
        }
    }

    /// True if the pending head requests an authentication scheme that libcurl has tried since, with another request,
    /// without getting a response.
    var isUnansweredChallenge: Bool {
        guard challenges == 1, let pendingHead, pendingHead.status.code == 401,
            let authentication = request.authentication, let easy,
            easy.fact(haul_curl_request_bytes) ?? .max > challengedBytes
        else { return false }
        let offers = pendingHead.headerFields[values: .wwwAuthenticate].map { $0.lowercased() }
        // Basic needs no challenge, so a first 401 is the response to it; Negotiate is not tried without a ticket.
        return authentication.schemes.intersection([.digest, .ntlm]).contains { scheme in
            offers.contains { $0.hasPrefix(scheme.rawValue) }
        }
    }

    /// Passes the head to the sink, once.
    func deliver(_ head: HTTPResponse) {
        if isEndedByConnection(head) { session = easy?.session ?? 0 }
        guard session != 0 else {
            return conclude(
                .failed(
                    TransportError(
                        .unusable,
                        "the response has no length, and the TLS library of the installed libcurl cannot tell truncated "
                            + "responses from complete ones")))
        }
        switch sink.head(head) {
        case .accept:
            phase = .receiving
            if kind.isWeb { expectBody() }
        case .reject:
            isPaused = false
            conclude(.rejected)
        }
    }

    /// Ensures that the body ends where its head says.
    private func expectBody() {
        switch reader.bodyEnd {
        case .libcurl: break
        case .count(let count):
            left = count
            if count == 0 { conclude(.complete) }
        case .chunks: chunks = ChunkDecoder()
        }
    }

    /// Returns true if only the end of a TLS connection ends the body.
    private func isEndedByConnection(_ head: HTTPResponse) -> Bool {
        kind == .https && (200..<300).contains(head.status.code) && head.status.code != 204
            && head.headerFields[.contentLength] == nil && head.headerFields[.transferEncoding] == nil
    }

    /// Delivers the head, which is certain only now that a body begins, or ends before it began.
    func deliverWaitingHead(isAtEnd: Bool) {
        guard kind.isWeb else {
            guard !isMeasuredOtherwise else {
                if sizing == .reported { sizing = .unknown }
                return conclude(.failed(TransportError(.badResponse, "the size of the file is unknown")))
            }
            return deliver(fileServerResponse(isAtEnd: isAtEnd))
        }
        if let pendingHead { deliver(pendingHead) }
    }

    /// Delivers a status instead of libcurl's error.
    ///
    /// A pending head is the first of a handshake: it is the response only if libcurl could not authenticate. If the
    /// connection broke during the handshake, that is the error.
    func deliverRefusal(_ code: CurlCode?) {
        guard let code, let easy else { return }
        if let pendingHead {
            if code == .loginDenied || code == .authentication { deliver(pendingHead) }
            return
        }
        let secret = request.authentication?.credentials.password ?? ""
        if !kind.isWeb,
            let refusal = FileServerResponse.refusal(
                code, replies, size: size(of: easy, isAtEnd: false), hiding: secret)
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

    /// Returns the size of the whole file, if the server reported it.
    ///
    /// An SFTP file without a byte has the size 0. Over FTP, without SIZE, it may also be one that was cut; and some FTP
    /// servers report the size 0 if they do not know it, so only an end without a byte confirms it.
    private func size(of easy: CurlEasy, isAtEnd: Bool) -> Int64? {
        let first = asked?.first ?? 0
        let coming = easy.fact(haul_curl_content_length)
        guard kind.isFTP else { return isAtEnd && first == 0 ? 0 : coming.map { $0.saturatingSum(first) } }
        if case .confirmed(let isReported) = sizing { return isAtEnd && isReported ? 0 : nil }
        guard let size = replies.size, size > 0 else { return isAtEnd ? replies.size : nil }
        return coming == size - first ? size : nil
    }

    /// The way in which the end of an FTP transfer without a byte is confirmed.
    var emptiness: Sizing { .confirmed(isReported: replies.size == 0 || replies.announced == 0) }

    /// True if libcurl ends an FTP transfer after a number of bytes that is not the size that the server has reported: it
    /// comes from a reply that was read differently, or from the announcement of the transfer, which may contain the name
    /// of the file, and is often not exact.
    private var isMeasuredOtherwise: Bool {
        guard kind.isFTP, let coming = easy?.fact(haul_curl_content_length), coming > 0 else { return false }
        guard let size = replies.size, size > 0 else { return true }
        return coming != size - (asked?.first ?? 0)
    }
}
