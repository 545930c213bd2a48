import Haul
import HaulCore

/// Properties of Metalink documents and `Link` headers.
enum MetalinkChecks {
    /// Checks a document: its files can be fetched, their names stay in the folder and differ, and their digests have
    /// the right length.
    static func document(_ bytes: [UInt8]) throws(FuzzFinding) {
        let metalink: Metalink
        do throws(DownloadError) {
            metalink = try Metalink(parsing: bytes)
        } catch {
            try claim(error.code == .invalidRequest, "a document is refused as a request: \(error)")
            return try claimSameBytes(TerminalText.printable(error.message), error.message, "a message can be printed")
        }
        try claim(!metalink.files.isEmpty, "a document without files is refused")
        let names = metalink.files.map { Array($0.name.utf8) }
        try claim(Set(names).count == names.count, "no two files have one name: \(metalink.files.map(\.name))")
        for file in metalink.files { try claimFile(file) }
        try claim(metalink.specs(folder: "/f").count == metalink.files.count, "each file becomes a download")
    }

    /// Checks `Link`: values written as in RFC 8288 can be read back, and mirrors are few and each have a position.
    static func link(_ text: String) throws(FuzzFinding) {
        for link in LinkValue.list(text) {
            let target = link.target.utf8
            try claim(!target.contains(UInt8(ascii: ">")), "a target ends at its bracket: \(link)")
            let again = LinkValue.list("<\(link.target)>; rel=\"duplicate\"; pri=1")
            try claim(
                again.count == 1 && again.first?.target.utf8.elementsEqual(target) == true,
                "a link is read back: \(link)")
        }
        let mirrors = LinkedMirror.list([text, text])
        try claim(mirrors.count <= 16, "no more than 16 mirrors: \(mirrors.count)")
        try claim(mirrors.allSatisfy { (1...999_999).contains($0.priority) }, "priorities are 1 to 999999: \(mirrors)")
    }

    private static func claimFile(_ file: MetalinkFile) throws(FuzzFinding) {
        for component in file.name.split(separator: "/", omittingEmptySubsequences: false) {
            try NameChecks.claimSafe(String(component), limit: 239)
        }
        try claim((1...Metalink.maxSources).contains(file.sources.count), "a file has sources, and not too many")
        try claim(file.sources.first?.priority == 1, "the best source comes first: \(file.sources)")
        let priorities = file.sources.map(\.priority)
        try claim(priorities == priorities.sorted(), "sources are in order: \(priorities)")
        for source in file.sources {
            try claim((try? SourceURL(parsing: source.url)) != nil, "a source can be fetched: \(source.url)")
        }
        guard let total = file.totalBytes else { return }
        try claim(total >= 0, "a size is never negative: \(total)")
        guard let pieces = file.pieces else { return }
        try claim(
            pieces.fits(total: total), "pieces fit their file: \(pieces.hashes.count) of \(pieces.length) in \(total)")
        let ranges = [0, pieces.hashes.count - 1, pieces.hashes.count, Int.max].map {
            pieces.range(of: $0, total: total)
        }
        try claim(ranges.allSatisfy { $0.upperBound <= total }, "no piece reaches beyond its file: \(ranges)")
    }
}
