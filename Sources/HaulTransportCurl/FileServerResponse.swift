import HTTPTypes
import HaulCore

/// What a file server's words mean in those of HTTP, which is what the engine understands.
///
/// Nothing is pretended: a length, a date, a range stand in the head only where the server named them.
struct FileServerResponse: Hashable {
    /// The head.
    let head: HTTPResponse
    /// How many bytes of the file follow; nil: until the end, wherever that is.
    let length: Int64?

    /// The answer to a file that is being sent.
    ///
    /// - Parameters:
    ///   - asked: the range that was asked for.
    ///   - size: the size of the whole file, if known.
    ///   - modified: its date in seconds since 1970, if known.
    ///   - now: the time of this machine, which stands for the server's: see docs/decisions/0004-file-servers.md.
    static func sending(_ asked: RequestedRange?, size: Int64?, modified: Int64?, now: Int64) -> FileServerResponse {
        var fields: HTTPFields = [.date: HTTPDate.string(now)]
        // A server that knows no date may say 1970: as a date of the file it would be far in the past, and so a strong one.
        if let modified, modified > 0 { fields[.lastModified] = HTTPDate.string(modified) }
        guard let asked, let size, size > 0 || asked.first > 0 else {
            // Bytes from the middle of a file of unknown size can't be described (RFC 9110, section 14.4).
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

    /// The answer to a range behind the end.
    static func beyondEnd(size: Int64?) -> FileServerResponse {
        refusing(416, size.map { [.contentRange: ContentRange.unsatisfied($0).description] } ?? [:])
    }

    /// The answer that is only a status, with the server's reply in the place of its reason.
    static func refusing(_ status: Int, _ fields: HTTPFields = [:], reply: String = "") -> FileServerResponse {
        let status = HTTPResponse.Status(code: status, reasonPhrase: reply)
        return FileServerResponse(head: HTTPResponse(status: status, headerFields: fields), length: 0)
    }

    /// The status that says why no file comes; nil: the connection broke, or something is wrong that HTTP has no word for.
    ///
    /// - Parameter secret: The password, which is not shown should the server repeat it.
    static func refusal(_ code: CurlCode, _ replies: FTPReplies, size: Int64?, hiding secret: String = "")
        -> FileServerResponse?
    {
        if code == .badResume, !replies.isBusy { return beyondEnd(size: size) }
        return status(code, replies).map { refusing($0, reply: replies.refusal(hiding: secret)) }
    }

    private static func status(_ code: CurlCode, _ replies: FTPReplies) -> Int? {
        if replies.isBusy, code != .partialFile, code != .ok { return 503 }
        switch code {
        case .loginDenied: return 401
        case .remoteFileNotFound, .ftpCouldNotRetrieve: return missing(code, replies)
        // SFTP says so itself. Over FTP it is a folder that can't be entered, 550 for whatever reason.
        case .remoteAccessDenied: return replies.code == 550 ? missing(code, replies) : 403
        case .ftpCouldNotRestart: return 416
        case .weirdServerReply where (400..<500).contains(replies.code): return 503
        case .weirdServerReply where replies.code == 530: return 401
        case _: return nil
        }
    }

    /// RFC 959, section 4.2.2: 450 is a file that is busy, 550 one that is missing or not for everybody; the text tells which.
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
