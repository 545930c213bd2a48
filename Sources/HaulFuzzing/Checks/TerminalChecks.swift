import HaulCore

/// Properties of text shown on a terminal.
enum TerminalChecks {
    /// Checks that printed text never moves the cursor or reverses letters, and is never wider than requested.
    static func text(_ text: String) throws(FuzzFinding) {
        let printable = TerminalText.printable(text)
        try claimHarmless(printable)
        try claimSameBytes(TerminalText.printable(printable), printable, "a printable text stays as it is")
        for width in [.min, -1, 0, 1, 2, 3, 7, 80, .max] {
            let fitted = TerminalText.fitted(text, width: width)
            try claimHarmless(fitted)
            let taken = TerminalText.width(fitted)
            try claim(taken <= max(0, width), "a text of \(taken) columns does not fit \(width): \"\(fitted)\"")
        }
        try claimSameBytes(TerminalText.fitted(text, width: .max), printable, "a text that fits stays whole")
    }

    private static func claimHarmless(_ text: String) throws(FuzzFinding) {
        let isHarmless = text.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{2028}" && $0 != "\u{2029}"
                && !$0.properties.isBidiControl
        }
        try claim(isHarmless, "a printable text controls nothing: \(Array(text.unicodeScalars))")
    }
}
