/// What the terminal can show: line-drawing characters or ASCII, colour or none.
package struct Style: Hashable, Sendable {
    /// Whether characters beyond ASCII may be drawn.
    package var unicode: Bool
    /// Whether colour may be used.
    package var colour: Bool

    /// Makes a style.
    package init(unicode: Bool, colour: Bool) {
        self.unicode = unicode
        self.colour = colour
    }

    /// The few colours in use.
    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
        case dim = "2"
    }

    /// The text in a colour, or as it is.
    ///
    /// ECMA-48, SGR.
    func paint(_ text: String, _ colour: Colour) -> String {
        guard self.colour, !text.isEmpty else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
}
