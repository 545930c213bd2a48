package import HaulCore

/// A notice that is not a failure: `Notice`, with its data in fields of their own.
package struct NoticeMessage: Hashable, Sendable, Codable {
    /// The name of the case of `Notice`.
    package var notice: String
    /// With `partialQuarantined` and `sourceExcluded`: the reason.
    package var reason: String?
    /// With `fewerConnections`: the number left.
    package var connections: Int?
    /// With `sourceExcluded`: the URL of the source.
    package var url: String?
    /// With `badPieces`: the number of pieces.
    package var pieces: Int?
    /// With `headerDigestWrong`: the header's name.
    package var header: String?
    /// With `headerDigestWrong`: the server.
    package var host: String?

    /// Creates the message for a notice.
    package init(_ notice: Notice) {
        switch notice {
        case .partialQuarantined(let reason): (self.notice, self.reason) = ("partialQuarantined", reason)
        case .sourceChanged: self.notice = "sourceChanged"
        case .rangesIgnored: self.notice = "rangesIgnored"
        case .fewerConnections(let count): (self.notice, connections) = ("fewerConnections", count)
        case .sourceExcluded(let url, let reason):
            (self.notice, self.url, self.reason) = ("sourceExcluded", url, reason)
        case .badPieces(let count): (self.notice, pieces) = ("badPieces", count)
        case .headerDigestWrong(let header, let host):
            (self.notice, self.header, self.host) = ("headerDigestWrong", header, host)
        case .webPage: self.notice = "webPage"
        }
    }

    /// The notice in the message.
    ///
    /// - Throws: `DownloadError` with code `badResponse` for a notice that this version does not know, or that lacks a
    ///   field.
    package var reported: Notice {
        get throws(DownloadError) {
            switch notice {
            case "partialQuarantined": return .partialQuarantined(reason: reason ?? "")
            case "sourceChanged": return .sourceChanged
            case "rangesIgnored": return .rangesIgnored
            case "fewerConnections": return .fewerConnections(connections ?? 1)
            case "sourceExcluded": return .sourceExcluded(url: url ?? "", reason: reason ?? "")
            case "badPieces": return .badPieces(pieces ?? 0)
            case "headerDigestWrong": return .headerDigestWrong(header: header ?? "", host: host ?? "")
            case "webPage": return .webPage
            case _: throw .unknownMessage("the notice \"\(TerminalText.fitted(notice, width: 40))\"")
            }
        }
    }
}
