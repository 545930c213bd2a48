import HaulCore

/// What stands at the bottom of the terminal, and how to replace it in one write.
struct Frame: Sendable {
    private var lines: [String] = []
    private var widths: [Int] = []
    private var window: WindowSize?

    /// The bytes that replace the old lines by the new ones, with permanent lines above; empty where nothing changed.
    ///
    /// ECMA-48: CUU moves up, EL clears to the end of the line, ED to the end of the screen.
    mutating func draw(_ new: [String], above permanent: [String], window: WindowSize) -> String {
        let resized = self.window != window
        guard new != lines || !permanent.isEmpty || resized && !(new.isEmpty && lines.isEmpty) else { return "" }
        var text = "\r"
        let height = height(in: window)
        if height > 0 { text += "\u{1B}[\(height)A" }
        // Permanent lines may be wrapped by the terminal, so what they cover is cleared first.
        if !permanent.isEmpty || resized { text += "\u{1B}[J" }
        for line in permanent { text += line + "\n" }
        for line in new { text += line + "\u{1B}[K\n" }
        if new.count < height { text += "\u{1B}[J" }
        lines = new
        widths = new.map(Self.cells)
        self.window = window
        return text
    }

    /// The rows that the old lines take: a window made narrower wraps what was drawn for a wider one.
    private func height(in window: WindowSize) -> Int {
        guard window.columns > 0 else { return widths.count }
        return widths.reduce(0) { $0 + max(1, ($1 + window.columns - 1) / window.columns) }
    }

    /// Cells of a line, its colours left out.
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
