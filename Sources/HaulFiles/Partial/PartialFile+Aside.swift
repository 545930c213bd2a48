package import HaulCore

/// What stood under the partial's name and is not known to be Haul's: it is nobody's to overwrite.
///
/// The exception are the first bytes of a small file. It has no journal, so a killed process leaves bytes of its own that look like
/// another program's. They are moved aside as well; but they are removed again when the finished file turns out to begin with
/// them, and never stand aside twice: so they do not pile up, and no byte is lost that is not somewhere else.
extension PartialFile {
    /// Gives the file under the partial's name another name, `NAME.part.bad` or the next free one, and closes it.
    ///
    /// The partial has to be opened anew then.
    ///
    /// - Returns: where its bytes are now.
    /// - Throws: `DownloadError` with code `fileFailed`; it stands where it stood then.
    package func moveAside() throws(DownloadError) -> String {
        defer { letGo() }
        let named = try publicly { () throws(FileError) in try system.status(atPath: names.partial) }
        guard let named, named.isSameFile(as: opened) else {
            throw DownloadError(
                .fileFailed, "another program has changed \(names.partial) meanwhile: start the download again")
        }
        let bytes = try publicly { () throws(FileError) in try Self.small(names.partial, system) }
        for number in 1..<10_000 {
            let path = names.aside(number)
            if let bytes, try joins(bytes, path) { return path }
            if try moveWithoutReplacing(to: path) { return path }
        }
        throw DownloadError(
            .fileFailed, "\(names.partial) is no download's, and ten thousand names for it are taken: move it away")
    }

    /// Removes small bytes that were moved aside, where a finished file begins with them.
    ///
    /// - Returns: whether they are gone.
    package static func dropAside(
        _ path: String, ofFile final: String, system: SystemCalls = .live
    ) throws(FileError) -> Bool {
        guard let bytes = try small(path, system) else { return false }
        guard try contents(final, limit: bytes.count, system) == bytes else { return false }
        try system.unlink(path)
        return true
    }

    /// Whether small bytes stand aside already, or are now where the beginning of them stood.
    private func joins(_ bytes: [UInt8], _ path: String) throws(DownloadError) -> Bool {
        try publicly { () throws(FileError) in
            guard let there = try Self.small(path, system) else { return false }
            if there.starts(with: bytes) {
                try system.unlink(names.partial)
                return true
            }
            guard bytes.starts(with: there) else { return false }
            try system.rename(names.partial, to: path)
            return true
        }
    }

    /// The bytes of a file that is no larger than one without a journal may be; nil where it is, or none is there.
    private static func small(_ path: String, _ system: SystemCalls) throws(FileError) -> [UInt8]? {
        guard let status = try system.status(atPath: path), status.kind == .regular, status.size <= smallFileBytes
        else { return nil }
        return try contents(path, limit: Int(smallFileBytes), system)
    }
}
