/// The paths of an unfinished download's files: beside the complete file, or in a folder of their own.
package struct PartialNames: Sendable, Hashable {
    /// The path of the complete file.
    package let final: String
    /// The folder of the complete file.
    package let folder: String
    /// The folder of the other files; usually the same.
    package let dataFolder: String
    /// The common prefix of the other paths.
    let stem: String

    /// The path of the bytes: `NAME.part`.
    package var partial: String { stem + Self.partialEnding }
    /// The path of the journal: `NAME.part.haul`.
    package var journal: String { partial + Self.journalEnding }
    /// The path of a journal that is being written, before it is renamed: `NAME.part.haul.new`.
    package var newJournal: String { stem + ".part.haul.new" }

    /// The names to use if a file that is not Haul's is in the partial's place: `NAME~2.part` and so on.
    package var alternative: PartialNames {
        areAlternative ? self : PartialNames(self, stem: stem + Self.alternativeMark, areAlternative: true)
    }

    /// The names that these are an alternative to, or these names themselves.
    package var standard: PartialNames {
        guard areAlternative else { return self }
        return PartialNames(self, stem: String(stem.dropLast(Self.alternativeMark.count)), areAlternative: false)
    }

    /// True if these names avoid a file that is not Haul's in the partial's place.
    package let areAlternative: Bool

    private init(_ other: PartialNames, stem: String, areAlternative: Bool) {
        self.areAlternative = areAlternative
        final = other.final
        folder = other.folder
        dataFolder = other.dataFolder
        self.stem = stem
    }

    private static let alternativeMark = "~2"
    package static let partialEnding = ".part"
    static let journalEnding = ".haul"

    /// The maximum length of a file name in bytes: NAME_MAX of limits.h.
    package static let nameLimit = 255

    /// Makes the paths for a complete file.
    ///
    /// If the name with the longest suffix would be too long, it is shortened, and a check value of the whole name
    /// distinguishes it from others that begin alike.
    package init(final: String) {
        let (prefix, name) = Self.split(final)
        let limit = Self.nameLimit - Self.maxEnding
        self.final = final
        areAlternative = false
        folder = Self.folder(prefix)
        dataFolder = folder
        stem = name.utf8.count <= limit ? final : prefix + Self.shortened(name, to: limit)
    }

    /// Makes the paths for a complete file whose partial file is in a folder that other downloads may share.
    ///
    /// A check value of the whole final path distinguishes `a/x.bin` from `b/x.bin`.
    ///
    /// - Parameter identity: The final path without links and relative components: one text for each location.
    package init(final: String, dataFolder: String, identity: String) {
        let mark = Self.mark(identity.utf8)
        let room = Self.nameLimit - Self.maxEnding - mark.utf8.count
        let prefix = dataFolder.utf8.last == UInt8(ascii: "/") ? dataFolder : dataFolder + "/"
        let (folder, name) = Self.split(final)
        self.final = final
        areAlternative = false
        self.folder = Self.folder(folder)
        self.dataFolder = dataFolder
        stem = prefix + Self.shortened(name, to: room) + mark
    }

    private static let maxEnding = alternativeMark.utf8.count + ".part.haul.new".utf8.count

    private static func split(_ path: String) -> (prefix: Substring, name: Substring) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path[...]) }
        return (path[...slash], path[path.utf8.index(after: slash)...])
    }

    private static func folder(_ prefix: Substring) -> String {
        let bytes = prefix.utf8
        return bytes.isEmpty ? "." : bytes.count == 1 ? "/" : String(Substring(bytes.dropLast()))
    }

    private static func mark(_ text: some Collection<UInt8>) -> String {
        var check = CheckValue(seed: UInt64(text.count))
        for byte in text { check.add(UInt64(byte)) }
        let digits = String(check.value, radix: 16)
        return "~" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func shortened(_ name: Substring, to limit: Int) -> String {
        guard name.utf8.count > limit else { return String(name) }
        let mark = mark(name.utf8)
        var cut = name
        while cut.utf8.count > limit - mark.utf8.count { cut.removeLast() }
        return cut + mark
    }
}
