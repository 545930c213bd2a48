import CHaulSystem

/// The names in a folder as they were at one instant, each as a mark of 64 bits.
///
/// Two names may have one mark, so it knows for certain only what was *not* there. Whether names that differ in large and small letters,
/// or in how an accent is written, are two or one, is up to the folder: the former have one mark here, and of names beyond ASCII it knows nothing.
package struct FolderListing: Sendable {
    /// How many names it has, but for those that share a mark.
    package var count: Int { marks.count }
    private let marks: Set<UInt64>

    /// Reads a folder: opendir(3), readdir(3).
    ///
    /// It may take long.
    ///
    /// - Parameter limit: The most names that it reads.
    /// - Throws: `FileError`; EOVERFLOW where the folder has more names.
    package init(_ folder: String, limit: Int, system: SystemCalls = .live) throws(FileError) {
        var count = 0
        var failure: FileError?
        // Safe: the C function writes no more than it is told there is room for, and says how many it wrote.
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

    /// Whether it is certain that neither the file nor its partial nor its journal was there; all of them in this folder.
    package func lacks(_ names: PartialNames) -> Bool {
        guard names.final.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let partial = Self.mark(PartialNames.partialEnding[...], after: Self.markOfName(names.stem))
        return !marks.contains(Self.markOfName(names.final)) && !marks.contains(partial)
            && !marks.contains(Self.mark(PartialNames.journalEnding[...], after: partial))
    }

    /// The mark of the last part of a path.
    private static func markOfName(_ path: String) -> UInt64 {
        let bytes = path.utf8
        let name = bytes.lastIndex(of: UInt8(ascii: "/")).map { path[bytes.index(after: $0)...] } ?? path[...]
        return mark(name, after: haul_first_mark)
    }

    private static func mark(_ text: Substring, after mark: UInt64) -> UInt64 {
        var text = text
        // Safe: the function reads so many bytes, which the text keeps until it returns.
        return text.withUTF8 { unsafe haul_mark(mark, $0.baseAddress, $0.count) }
    }
}
