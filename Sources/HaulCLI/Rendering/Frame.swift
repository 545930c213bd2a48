import HaulCore

/// The lines drawn at the bottom of the terminal, which can be replaced in one write.
struct Frame: Sendable {
    private var lines: [String] = []
    private var widths: [Int] = []
    private var window: WindowSize?

    /// Returns the bytes that replace the old lines with the new ones, with permanent lines above; empty if nothing
    /// changed.
    ///
    /// ECMA-48: CUU moves up, EL clears to the end of the line, ED to the end of the screen.
    mutating func draw(_ new: [String], above permanent: [String], window: WindowSize) -> String {
        let resized = self.window != window
        guard new != lines || !permanent.isEmpty || resized && !(new.isEmpty && lines.isEmpty) else { return "" }
        var text = "\r"
        let height = height(in: window)
        if height > 0 { text += "\u{1B}[\(height)A" }
        // The terminal may wrap permanent lines, so the area that they cover is cleared first.
        if !permanent.isEmpty || resized { text += "\u{1B}[J" }
        for line in permanent { text += line + "\n" }
        for line in new { text += line + "\u{1B}[K\n" }
        if new.count < height { text += "\u{1B}[J" }
        lines = new
        widths = new.map(Self.cells)
        self.window = window
        return text
    }

    /// Returns the rows that the old lines take: after the window was made narrower, they are wrapped.
    private func height(in window: WindowSize) -> Int {
        guard window.columns > 0 else { return widths.count }
        return widths.reduce(0) { $0 + max(1, ($1 + window.columns - 1) / window.columns) }
    }

    /// Returns the width of a line in cells, without its colour sequences.
    private static func cells(_ line: String) -> Int {
        var plain = ""
        var inSequence = false
        for scalar in line.unicodeScalars {
            if scalar == "\u{1B}" { inSequence = true }
            if !inSequence { plain.unicodeScalars.append(scalar) }
            if inSequence, scalar == "m" { inSequence = false }
        }
        return TerminalText.width(plain)
    }
}
