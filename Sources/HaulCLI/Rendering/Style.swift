/// The abilities of the terminal: line-drawing characters or ASCII, colour or not.
package struct Style: Hashable, Sendable {
    /// True if characters beyond ASCII may be drawn.
    package var unicode: Bool
    /// True if colour may be used.
    package var colour: Bool

    /// Makes a style.
    package init(unicode: Bool, colour: Bool) {
        self.unicode = unicode
        self.colour = colour
    }

    /// The colours in use.
    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
        case dim = "2"
    }

    /// Returns the text in a colour, or unchanged if colour is off.
    ///
    /// ECMA-48, SGR.
    func paint(_ text: String, _ colour: Colour) -> String {
        guard self.colour, !text.isEmpty else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
}
