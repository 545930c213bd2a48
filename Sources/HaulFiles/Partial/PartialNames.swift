/// Where the files of an unfinished download stand: all of them beside the finished one.
package struct PartialNames: Sendable, Hashable {
    /// The path that the finished file will have.
    package let final: String
    /// The folder that all of them are in.
    package let folder: String
    /// The bytes: `NAME.part`.
    package let partial: String
    /// The journal: `NAME.part.haul`.
    package let journal: String
    /// A journal that is being written and gets its name when it is whole: `NAME.part.haul.new`.
    package let newJournal: String
    /// A journal that could not be used, kept to be looked at: `NAME.part.haul.bad`.
    package let badJournal: String

    /// The longest name of a file, in bytes: NAME_MAX of limits.h.
    package static let nameLimit = 255

    /// Makes the paths for a finished file.
    ///
    /// Where the name with the longest ending would be too long, it is cut, and a check value of the whole name keeps
    /// it apart from others that begin alike.
    package init(final: String) {
        self.final = final
        let slash = final.utf8.lastIndex(of: UInt8(ascii: "/"))
        folder = slash.map { $0 == final.startIndex ? "/" : String(final[..<$0]) } ?? "."
        let name = slash.map { final[final.utf8.index(after: $0)...] } ?? final[...]
        let prefix = slash.map { final[...$0] } ?? ""
        let stem = prefix + Self.shortened(name, to: Self.nameLimit - ".part.haul.new".utf8.count)
        partial = stem + ".part"
        journal = stem + ".part.haul"
        newJournal = stem + ".part.haul.new"
        badJournal = stem + ".part.haul.bad"
    }

    private static func shortened(_ name: Substring, to limit: Int) -> String {
        guard name.utf8.count > limit else { return String(name) }
        var check = CheckValue(seed: UInt64(name.utf8.count))
        for byte in name.utf8 { check.add(UInt64(byte)) }
        let digits = String(check.value, radix: 16)
        let mark = "~" + String(repeating: "0", count: 16 - digits.count) + digits
        var cut = name
        while cut.utf8.count > limit - mark.utf8.count { cut.removeLast() }
        return cut + mark
    }
}
