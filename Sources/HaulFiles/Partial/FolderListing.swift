import CHaulSystem

/// A snapshot of the names in a folder, each stored as a 64-bit hash.
///
/// Two names may have the same hash, so it is only certain about names that did *not* exist. Folders may or may not
/// distinguish case and Unicode normalization. Names that differ only in case therefore have the same hash, and nothing
/// is claimed about names beyond ASCII.
package struct FolderListing: Sendable {
    /// The number of names, without those with an equal hash.
    package var count: Int { marks.count }
    private let marks: Set<UInt64>

    /// Reads a folder: opendir(3), readdir(3).
    ///
    /// May take long.
    ///
    /// - Parameter limit: The maximum number of names that it reads.
    /// - Throws: `FileError`; EOVERFLOW if the folder has more names.
    package init(_ folder: String, limit: Int, system: SystemCalls = .live) throws(FileError) {
        var count = 0
        var failure: FileError?
        // Safe: the C function writes no more than the given capacity, and returns the number that it wrote.
        let found = unsafe [UInt64](unsafeUninitializedCapacity: limit) { room, initialized in
            do throws(FileError) {
                count = try system.perform(.list(path: folder)) {
                    unsafe Int(haul_marks_of_folder(folder, room.baseAddress, limit))
                }
                initialized = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        marks = Set(found)
    }

    /// Returns true if it is certain that neither the file nor its partial nor its journal existed; all of them must be
    /// in this folder.
    package func lacks(_ names: PartialNames) -> Bool {
        guard names.final.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let partial = Self.mark(PartialNames.partialEnding[...], after: Self.markOfName(names.stem))
        return !marks.contains(Self.markOfName(names.final)) && !marks.contains(partial)
            && !marks.contains(Self.mark(PartialNames.journalEnding[...], after: partial))
    }

    /// Returns the hash of the last component of a path.
    private static func markOfName(_ path: String) -> UInt64 {
        let bytes = path.utf8
        let name = bytes.lastIndex(of: UInt8(ascii: "/")).map { path[bytes.index(after: $0)...] } ?? path[...]
        return mark(name, after: haul_first_mark)
    }

    private static func mark(_ text: Substring, after mark: UInt64) -> UInt64 {
        var text = text
        // Safe: the function reads this number of bytes, which the text keeps until it returns.
        return text.withUTF8 { unsafe haul_mark(mark, $0.baseAddress, $0.count) }
    }
}
