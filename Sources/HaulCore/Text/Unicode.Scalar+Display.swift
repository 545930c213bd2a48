extension Unicode.Scalar {
    /// True for a C0 or C1 control, DEL, or a separator of lines or paragraphs.
    var isLineOrControl: Bool {
        if isPrintableASCII { return false }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// True for visible ASCII or a space: a fast path that avoids the Unicode tables.
    private var isPrintableASCII: Bool { value >= 0x20 && value < 0x7F }

    /// True if it changes the direction of the text around it (UAX 9, section 2): it can make `gpj.exe` look like
    /// `exe.jpg`.
    var isBidiControl: Bool { properties.isBidiControl }

    /// True if it is invisible: bidi controls, zero-width characters, BOM, tags.
    var isInvisible: Bool { !isPrintableASCII && properties.generalCategory == .format }

    /// The number of terminal columns: 0 for combining marks, 2 for wide characters, else 1.
    ///
    /// Approximates Unicode's East_Asian_Width (UAX 11) with a short table; a terminal may differ for rare scripts.
    var columns: Int {
        if isPrintableASCII { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // Vowels and finals of Hangul join the syllable before them.
        if (0x1160...0x11FF).contains(value) { return 0 }
        // A flag is two regional indicators, each one column.
        if (0x1F1E6...0x1F1FF).contains(value) { return 1 }
        return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18DFF,
        0x1B000...0x1B2FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
