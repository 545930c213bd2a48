/// Makes text from servers fit for one line of a terminal.
package enum TerminalText {
    /// Returns the text with each control character (C0, C1, DEL, line breaks) and bidi control replaced by U+FFFD.
    ///
    /// The result cannot move the cursor, change colours, or reverse the order of letters.
    package static func printable(_ text: String) -> String {
        // Fast path: nearly all names are ASCII without controls.
        if text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return text }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: text.unicodeScalars.map { $0.isLineOrControl || $0.isBidiControl ? "\u{FFFD}" : $0 })
        return String(result)
    }

    /// Returns the number of columns that a printable text takes: two for wide East Asian characters and emoji, none
    /// for combining marks.
    package static func width(_ text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + $1.columns }
    }

    /// Returns the printable text, with an ellipsis in the middle if it is wider than `width` columns.
    ///
    /// Both ends are kept, because names differ there. The result is never wider than `width`; it may be one column
    /// narrower, because a wide character is not cut in half.
    package static func fitted(_ text: String, width: Int) -> String {
        let text = printable(text)
        guard self.width(text) > width else { return text }
        guard width > 1 else { return width == 1 ? "…" : "" }
        let front = prefix(of: text, width: width / 2)
        let back = prefix(of: text.reversed(), width: width - 1 - self.width(front))
        return front + "…" + String(back.reversed())
    }

    private static func prefix(of characters: some Sequence<Character>, width: Int) -> String {
        var used = 0
        return String(
            characters.prefix { character in
                used += self.width(String(character))
                return used <= width
            })
    }
}
