import Foundation

/// A folder of its own for one test; it goes with its content when the object does.
package final class TemporaryFolder: Sendable {
    /// Its path, without a slash at the end.
    package let path: String

    /// Makes an empty folder.
    package init() throws {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("haul-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        path = base.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a name in it.
    package func path(_ name: String) -> String { path + "/" + name }

    /// The names in it, sorted.
    package var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// The content of a file in it, nil where there is none.
    package func bytes(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: path(name)).map(Array.init) }

    /// Puts a file into it.
    package func put(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }
}
