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
    /// True if only the first requests show the fault; nil if all do.
    let once: Bool?

    /// The required result.
    struct Expected: Encodable {
        var file: String?
        var bytes: Int?
        var sha256: String?
        var error: DownloadError.Code?
        var exitCode: Int32?
    }

    init(_ item: SloppyCase, url: String?) throws {
        (`case`, self.url, once) = (item.description, url, item.isOnce ? true : nil)
        switch item.outcome {
        case .file(let name):
            expected = Expected(file: name, bytes: item.bytes.count, sha256: try Digests.sha256(item.bytes).hex)
        case .fails(let code): expected = Expected(error: code, exitCode: ExitCode(code).rawValue)
        }
    }

    /// Returns the required result in words.
    private func result(wholeDigest: Bool) -> String {
        if let error = expected.error { return "an error: \(error.rawValue) (\(expected.exitCode ?? 1))" }
        let digest = expected.sha256 ?? ""
        return "\(expected.file ?? ""), \(expected.bytes ?? 0) bytes, sha256 "
            + (wholeDigest ? digest : "\(digest.prefix(8))...") + (once == true ? ", once" : "")
    }

    /// Returns the lines of a table.
    ///
    /// - Parameter wholeDigests: True if digests are not abbreviated.
    static func table(_ lines: [LabLine], wholeDigests: Bool) -> String {
        let width = lines.map(\.case.count).max() ?? 0
        return lines.map { line in
            let name = line.case + String(repeating: " ", count: width - line.case.count)
            return ([line.url, name, line.result(wholeDigest: wholeDigests)].compactMap(\.self)).joined(separator: "  ")
                + "\n"
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
