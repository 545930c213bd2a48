/// Which of two waiting downloads of the same priority starts first.
public enum QueueOrder: String, Sendable, Codable, CaseIterable {
    /// The one that stands higher in the list: first in, first out.
    case fifo
    /// The one that stands lower in the list: last in, first out.
    case lifo
}
