/// A part of a file that is being downloaded, and how far it is.
public struct DownloadSegment: Hashable, Sendable, Codable {
    /// The offset of its first byte.
    public var start: Int64
    /// The offset behind the last byte that is there.
    public var position: Int64
    /// The offset behind its last byte; nil where the size of the file is not known.
    public var end: Int64?
    /// Whether a connection is at work on it.
    public var isActive: Bool

    /// Makes a segment.
    public init(start: Int64, position: Int64, end: Int64?, isActive: Bool) {
        self.start = start
        self.position = position
        self.end = end
        self.isActive = isActive
    }
}
