import Foundation

/// A folder for one test; deleted with its content when the object is released.
public final class TemporaryFolder: Sendable {
    /// The path, without a slash at the end.
    public let path: String

    /// Makes an empty folder.
    public init() throws {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("haul-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        path = base.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a name in the folder.
    public func path(_ name: String) -> String { path + "/" + name }

    /// The names in the folder, sorted.
    public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// Returns the content of a file in the folder; nil if it does not exist.
    public func bytes(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: path(name)).map(Array.init) }

    /// Writes a file in the folder.
    public func put(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }
}
