import HaulCore
import HaulTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One case of `haul lab`, as it is listed.
struct LabLine: Encodable {
    let `case`: String
    /// The URL to request; nil if the case is only listed.
    let url: String?
    let expected: Expected

    /// The required result.
    struct Expected: Encodable {
        var file: String?
        var bytes: Int?
        var sha256: String?
        var error: DownloadError.Code?
        var exitCode: Int32?
    }

    init(_ item: SloppyCase, url: String?) throws {
        (`case`, self.url) = (item.description, url)
        switch item.outcome {
        case .file(let name):
            expected = Expected(file: name, bytes: item.bytes.count, sha256: try Digests.sha256(item.bytes).hex)
        case .fails(let code): expected = Expected(error: code, exitCode: ExitCode(code).rawValue)
        }
    }

    /// The required result in words.
    private var result: String {
        if let error = expected.error { return "an error: \(error.rawValue) (\(expected.exitCode ?? 1))" }
        return "\(expected.file ?? ""), \(expected.bytes ?? 0) bytes, sha256 \((expected.sha256 ?? "").prefix(8))..."
    }

    /// Returns the lines of a table.
    static func table(_ lines: [LabLine]) -> String {
        let width = lines.map(\.case.count).max() ?? 0
        return lines.map { line in
            let name = line.case + String(repeating: " ", count: width - line.case.count)
            return ([line.url, name, line.result].compactMap(\.self)).joined(separator: "  ") + "\n"
        }
        .joined()
    }

    /// Returns one JSON object per line.
    static func json(_ lines: [LabLine]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try lines.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }.joined()
    }
}
