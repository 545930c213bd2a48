public import HaulCore

/// A way in which servers violate the standards, and the required result.
///
/// The result is the right file under the right name, or an error, but never a wrong file.
public struct SloppyCase: Sendable, CustomStringConvertible {
    /// The required result.
    public enum Outcome: Sendable {
        /// The right bytes in a file of this name.
        case file(String)
        /// An error with this code, and no file.
        case fails(DownloadError.Code)
    }

    /// The family and the name of the case.
    public let description: String
    /// The resources of the server, by path.
    public let resources: [String: Resource]
    /// The requested path.
    public let path: String
    /// The required result.
    public let outcome: Outcome
    /// The correct bytes.
    public let bytes: [UInt8]
    /// True if the fault occurs only in the first requests to the server; later ones get the right response.
    public private(set) var isOnce = false

    /// A content that is large enough for several connections.
    public static let content = Resource.file(seed: 11, size: 2_500_000)

    /// Makes a case.
    public init(
        _ family: String, _ name: String, path: String = "/f", _ resources: [String: Resource], _ outcome: Outcome,
        bytes: [UInt8]? = nil
    ) {
        description = "\(family): \(name)"
        self.resources = resources
        self.path = path
        self.outcome = outcome
        self.bytes = bytes ?? Self.content.allBytes
    }

    /// Makes a case in which all requests get the same kind of response.
    public init(
        _ family: String, _ name: String, path: String = "/f", _ outcome: Outcome = .file("f"),
        _ change: (inout SloppyResponse) -> Void
    ) {
        var response = SloppyResponse()
        change(&response)
        self.init(family, name, path: path, [path: Self.resource(response)], outcome)
    }

    /// Returns the case, marked as one whose fault occurs only in the first requests.
    func once() -> SloppyCase {
        var item = self
        item.isOnce = true
        return item
    }

    /// Returns a resource that answers every request with this response.
    public static func resource(_ response: SloppyResponse) -> Resource {
        content.script { [content] in response.script($0, content) }
    }

    /// All cases.
    public static let all = syntax + redirects + names + encodings

    /// These and the faults.
    public static let everything = all + faults
}
