/// Text from servers, made fit for one line of a terminal.
package enum TerminalText {
    /// The text with each control character (C0, C1, DEL, line breaks) and bidi control replaced by U+FFFD.
    ///
    /// Nothing in the result can move the cursor, change colours, or turn the order of the letters around.
    package static func printable(_ text: String) -> String {
        // Nearly all names are of ASCII without controls, and stay as they are.
        if text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return text }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: text.unicodeScalars.map { $0.isLineOrControl || $0.isBidiControl ? "\u{FFFD}" : $0 })
        return String(result)
    }

    /// How many columns a printable text takes: wide East Asian characters and emoji two, combining marks none.
    package static func width(_ text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + $1.columns }
    }

    /// The text made printable and, where it is wider than `width` columns, cut in the middle, with an ellipsis there.
    ///
    /// Both ends stay, since names differ there. The result is never wider than `width`; it may be a column narrower,
    /// as a wide character is not cut in half.
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
