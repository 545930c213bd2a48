import Foundation
import GRDB
import HaulCore

@testable import HaulStore

/// A folder of its own for one test, with a place for a catalogue in it.
final class Shelf {
    let folder: String
    var path: String { folder + "/haul.db" }

    init() throws {
        folder = NSTemporaryDirectory() + "/haul-store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func open(schema: CatalogueSchema = .current) throws(DownloadError) -> Catalogue {
        try Catalogue.open(.file(path: path), schema: schema)
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }

    func read(_ name: String = "haul.db") throws -> Data { try Data(contentsOf: URL(filePath: folder + "/" + name)) }

    func write(_ bytes: Data, _ name: String = "haul.db") throws {
        try bytes.write(to: URL(filePath: folder + "/" + name))
    }

    /// Runs SQL against the file of a closed catalogue, as some other program would.
    func raw(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { try $0.execute(sql: sql) }
        try queue.close()
    }
}
