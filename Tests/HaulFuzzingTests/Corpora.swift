import Foundation
import HaulFuzzing
import Testing

/// The folders of `Tests/Corpora`.
enum Corpora {
    /// An input that is kept, with its name.
    struct Input {
        let name: String
        let bytes: [UInt8]
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
        path: "Corpora")

    /// The names of the folders that are there.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The inputs of a target, in the order of their names.
    static func inputs(of target: FuzzTarget) throws -> [Input] {
        let place = folder.appending(path: target.name)
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path).filter { !$0.hasPrefix(".") }
        return try names.sorted().map { Input(name: $0, bytes: try Array(Data(contentsOf: place.appending(path: $0)))) }
    }
}

extension FuzzTarget: CustomTestStringConvertible {
    /// The name.
    public var testDescription: String { name }
}
