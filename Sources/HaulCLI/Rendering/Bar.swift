/// A progress bar of an exact width.
enum Bar {
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// Returns a bar filled from the left; the fraction is 0 to 1.
    static func filled(_ fraction: Double, width: Int, style: Style) -> String {
        guard width > 0 else { return "" }
        let part = fraction.isFinite ? min(1, max(0, fraction)) : 0
        guard style.unicode else {
            let full = Int(part * Double(width))
            return style.paint(String(repeating: "#", count: full), .cyan)
                + style.paint(String(repeating: "-", count: width - full), .dim)
        }
        let cells = Int(part * Double(width * 8))
        let full = String(repeating: "█", count: cells / 8) + eighths[cells % 8]
        let rest = width - (cells + 7) / 8
        return style.paint(full, .cyan) + style.paint(String(repeating: "─", count: rest), .dim)
    }

    /// Returns a block that moves to and fro, for an unknown size; the step grows with time.
    static func moving(step: Int, width: Int, style: Style) -> String {
        guard width > 0 else { return "" }
        let block = max(1, width / 5)
        let room = width - block
        let place = room == 0 ? 0 : max(0, step) % (2 * room)
        let before = place > room ? 2 * room - place : place
        let full = String(repeating: style.unicode ? "█" : "#", count: block)
        let empty = style.unicode ? "─" : "-"
        return style.paint(String(repeating: empty, count: before), .dim) + style.paint(full, .cyan)
            + style.paint(String(repeating: empty, count: room - before), .dim)
    }
}
