/// The identity of a download in one catalogue: a number that is never given twice, not even after a removal.
public struct DownloadID: RawRepresentable, Hashable, Comparable, Sendable, Codable {
    /// The number.
    public let rawValue: Int64

    /// Makes an identity of a number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The older download is the smaller one.
    public static func < (first: DownloadID, second: DownloadID) -> Bool { first.rawValue < second.rawValue }
}

extension DownloadID: CustomStringConvertible {
    /// The number as text.
    public var description: String { String(rawValue) }
}
