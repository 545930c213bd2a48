/// Which columns fit a width, and how wide each is.
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
    /// Bytes that are there; with the size where `showsTotal`.
    package private(set) var bytes = 0
    /// Bytes per second.
    package private(set) var speed = 0
    /// The time left.
    package private(set) var time = 0
    /// Connections at work.
    package private(set) var connections = 0
    /// Blanks between two columns.
    package let gap: Int
    /// Cells in all.
    package let width: Int

    private static let minName = 12
    private static let minBar = 6
    private static let shortBytes = 9
    private static let longBytes = 21

    /// Whether the column of bytes has room for the size, too.
    package var showsTotal: Bool { bytes >= Self.longBytes }

    /// Cells from the bar's first to the end of the row: the room for words that stand there instead.
    package var words: Int {
        max(0, width - name - gap - (insecure > 0 ? insecure + gap : 0))
    }

    /// Shares out `width` cells; how long the longest name is and whether a row is insecure decide about theirs.
    package init(width: Int, maxName: Int, insecure hasInsecure: Bool) {
        self.width = max(0, width)
        gap = width >= 90 ? 2 : 1
        name = min(self.width, Self.minName)
        var left = self.width - name
        // In the order of importance: the first that does not fit is left out with all after it.
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

    /// What is left goes to the size, the name as far as it needs it, and the bar.
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
