/// The columns that fit a width, and the width of each.
///
/// A width of 0 means that the column is left out.
package struct Columns: Hashable, Sendable {
    /// The name, left-aligned.
    package private(set) var name: Int
    /// The word `insecure`.
    package private(set) var insecure = 0
    /// The bar.
    package private(set) var bar = 0
    /// `43 %`.
    package private(set) var percent = 0
    /// Bytes received, with the size if `showsTotal`.
    package private(set) var bytes = 0
    /// Bytes per second.
    package private(set) var speed = 0
    /// The time left.
    package private(set) var time = 0
    /// Active connections.
    package private(set) var connections = 0
    /// Blanks between two columns.
    package let gap: Int
    /// The width of all columns together, in cells.
    package let width: Int

    private static let minName = 12
    private static let minBar = 6
    private static let shortBytes = 9
    private static let longBytes = 21

    /// True if the column of bytes has room for the size too.
    package var showsTotal: Bool { bytes >= Self.longBytes }

    /// Cells from the start of the bar to the end of the row: the room for words shown in their place.
    package var words: Int {
        max(0, width - name - gap - (insecure > 0 ? insecure + gap : 0))
    }

    /// Distributes `width` cells; the name's column depends on the longest name, and `insecure` is shown only if a row
    /// is.
    package init(width: Int, maxName: Int, insecure hasInsecure: Bool) {
        self.width = max(0, width)
        gap = width >= 90 ? 2 : 1
        name = min(self.width, Self.minName)
        var left = self.width - name
        // In order of importance: at the first column that does not fit, it and all later ones are left out.
        var wanted: [(WritableKeyPath<Self, Int>, Int)] = [(\.percent, 5)]
        if hasInsecure { wanted.append((\.insecure, 8)) }
        wanted += [(\.bar, Self.minBar), (\.speed, 11), (\.time, 6), (\.bytes, Self.shortBytes)]
        wanted.append((\.connections, width >= 90 ? 7 : 3))
        for (column, cells) in wanted {
            guard cells + gap <= left else { break }
            self[keyPath: column] = cells
            left -= cells + gap
        }
        share(left, maxName: maxName)
    }

    /// Distributes the remaining cells to the size, to the name as far as it needs them, and to the bar.
    private mutating func share(_ rest: Int, maxName: Int) {
        var left = rest
        if connections > 0, left >= 30 {
            left -= Self.longBytes - bytes
            bytes = Self.longBytes
        }
        let wished = max(0, min(maxName, width * 2 / 5) - name)
        let given = min(wished, bar > 0 ? left * 2 / 3 : left)
        name += given
        left -= given
        if bar > 0 { bar += left }
    }
}
