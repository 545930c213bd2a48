package import HaulCore

/// One way in which servers are sloppy, and what must come of it: the right file under the right name, or an error, never a wrong file.
package struct SloppyCase: Sendable, CustomStringConvertible {
    /// What must come of it.
    package enum Outcome: Sendable {
        /// The right bytes in a file of this name.
        case file(String)
        /// An error with this code, and no file.
        case fails(DownloadError.Code)
    }

    /// The kind of sloppiness, and which it is.
    package let description: String
    /// The resources of the server, by path.
    package let resources: [String: Resource]
    /// The path that is asked for.
    package let path: String
    /// What must come of it.
    package let outcome: Outcome
    /// The right bytes.
    package let bytes: [UInt8]

    /// Large enough for several connections.
    package static let content = Resource.file(seed: 11, size: 2_500_000)

    /// Makes a case.
    package init(
        _ family: String, _ name: String, path: String = "/f", _ resources: [String: Resource], _ outcome: Outcome,
        bytes: [UInt8]? = nil
    ) {
        description = "\(family): \(name)"
        self.resources = resources
        self.path = path
        self.outcome = outcome
        self.bytes = bytes ?? Self.content.allBytes
    }

    /// A case in which every request gets the same kind of response.
    package init(
        _ family: String, _ name: String, path: String = "/f", _ outcome: Outcome = .file("f"),
        _ change: (inout SloppyResponse) -> Void
    ) {
        var response = SloppyResponse()
        change(&response)
        self.init(family, name, path: path, [path: Self.resource(response)], outcome)
    }

    /// A resource that answers every request in this way.
    package static func resource(_ response: SloppyResponse) -> Resource {
        content.script { [content] in response.script($0, content) }
    }

    /// All cases.
    package static let all = syntax + redirects + names + encodings
}
