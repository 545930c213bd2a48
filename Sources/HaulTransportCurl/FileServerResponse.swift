import HTTPTypes
import HaulCore

/// The response of a file server, translated to HTTP, which the engine understands.
///
/// Nothing is invented: the head contains a length, a date or a range only if the server reported it.
struct FileServerResponse: Hashable {
    /// The head.
    let head: HTTPResponse
    /// The number of bytes of the file that follow; nil if they continue to an unknown end.
    let length: Int64?

    /// Returns the response for a file that is being sent.
    ///
    /// - Parameters:
    ///   - asked: The requested range.
    ///   - size: The size of the whole file, if known.
    ///   - modified: Its date in seconds since 1970, if known.
    ///   - now: The time of this machine, which replaces the server's: see docs/decisions/0004-file-servers.md.
    static func sending(_ asked: CurlRange?, size: Int64?, modified: Int64?, now: Int64) -> FileServerResponse {
        var fields: HTTPFields = [.date: HTTPDate.string(now)]
        // A server that knows no date may send 1970: as the file's date it would be in the distant past, and so count
        // as strong.
        if let modified, modified > 0 { fields[.lastModified] = HTTPDate.string(modified) }
        guard let asked, let size, size > 0 || asked.first > 0 else {
            // Bytes from the middle of a file of unknown size cannot be described (RFC 9110, section 14.4).
            if let asked, asked.first > 0 { return refusing(416) }
            fields[.contentLength] = size.map(String.init)
            return FileServerResponse(head: HTTPResponse(status: .ok, headerFields: fields), length: size)
        }
        guard asked.first < size else { return beyondEnd(size: size) }
        let end = min(size, asked.end ?? size)
        fields[.contentRange] = ContentRange.range(ByteRange(from: asked.first, to: end), total: size).description
        fields[.contentLength] = String(end - asked.first)
        return FileServerResponse(
            head: HTTPResponse(status: .partialContent, headerFields: fields), length: end - asked.first)
    }

    /// Returns the response to a range after the end.
    static func beyondEnd(size: Int64?) -> FileServerResponse {
        refusing(416, size.map { [.contentRange: ContentRange.unsatisfied($0).description] } ?? [:])
    }

    /// Returns a response that is only a status, with the server's reply as its reason phrase.
    static func refusing(_ status: Int, _ fields: HTTPFields = [:], reply: String = "") -> FileServerResponse {
        let status = HTTPResponse.Status(code: status, reasonPhrase: reply)
        return FileServerResponse(head: HTTPResponse(status: status, headerFields: fields), length: 0)
    }

    /// Returns the status that explains why no file is sent; nil if the connection broke, or HTTP has no status for the
    /// problem.
    ///
    /// - Parameter secret: The password, which is not shown if the server repeats it.
    static func refusal(_ code: CurlCode, _ replies: FTPReplies, size: Int64?, hiding secret: String = "")
        -> FileServerResponse?
    {
        if code == .badResume, !replies.isBusy { return beyondEnd(size: size) }
        return status(code, replies).map { refusing($0, reply: replies.refusal(hiding: secret)) }
    }

    private static func status(_ code: CurlCode, _ replies: FTPReplies) -> Int? {
        if replies.isBusy, code != .partialFile, code != .ok { return 503 }
        switch code {
        // A server that refuses every login for a while (RFC 959, section 4.2.1). 430 is a wrong password, on some servers.
        case .loginDenied where (400..<500).contains(replies.code) && replies.code != 430: return 503
        case .loginDenied: return 401
        case .remoteFileNotFound, .ftpCouldNotRetrieve: return missing(code, replies)
        // SFTP reports this itself. Over FTP it means a folder that cannot be entered, with 550 for any reason.
        case .remoteAccessDenied: return replies.code == 550 ? missing(code, replies) : 403
        case .ftpCouldNotRestart: return 416
        case .weirdServerReply where (400..<500).contains(replies.code): return 503
        case .weirdServerReply where replies.code == 530: return 401
        // The server refuses every client, in place of its greeting.
        case .weirdServerReply where (500..<600).contains(replies.code): return 500
        case _: return nil
        }
    }

    /// Returns the status for a file that is not available (RFC 959, section 4.2.2): 450 is a file that is busy, 550
    /// one that is missing or forbidden; the text distinguishes them.
    private static func missing(_ code: CurlCode, _ replies: FTPReplies) -> Int? {
        switch replies.code {
        case 425, 426: nil
        case 400..<500: 503
        case 530, 532: 401
        case _ where replies.text.lowercased().contains("permission") || replies.text.lowercased().contains("denied"):
            403
        case _: code == .ftpCouldNotRetrieve && replies.code < 500 ? nil : 404
        }
    }
}
