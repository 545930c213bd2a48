/// Folders that have another path than before, and the paths of files in them.
package struct MovedFolders: Hashable, Sendable {
    /// A folder's earlier path and its present one; they may be equal, for a folder within another one that has moved.
    package struct Move: Hashable, Sendable {
        /// The earlier path, absolute and without a slash at the end.
        package var from: String
        /// The present path, likewise.
        package var to: String

        /// Creates a move.
        package init(from: String, to: String) { (self.from, self.to) = (from, to) }
    }

    private let moves: [Move]

    /// Creates the set; a path within several folders belongs to the innermost one.
    package init(_ moves: [Move]) {
        // The longest first; of equal ones, the first given.
        self.moves = moves.enumerated()
            .sorted { (-$0.element.from.utf8.count, $0.offset) < (-$1.element.from.utf8.count, $1.offset) }
            .map(\.element)
    }

    /// True if no folder has moved.
    package var isEmpty: Bool { moves.allSatisfy { $0.from == $0.to } }

    /// Returns the present path of a file: the same if it is in none of the folders.
    package func path(_ path: String) -> String {
        for move in moves where path.utf8.starts(with: move.from.utf8) {
            let rest = path.utf8.dropFirst(move.from.utf8.count)
            guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { continue }
            return move.to + String(Substring(rest))
        }
        return path
    }

    /// Returns the paths that a file may have had before, for its present path.
    package func earlierPaths(of path: String) -> [String] {
        moves.compactMap { move in
            guard path.utf8.starts(with: move.to.utf8) else { return nil }
            let rest = path.utf8.dropFirst(move.to.utf8.count)
            return rest.first == UInt8(ascii: "/") ? move.from + String(Substring(rest)) : nil
        }
    }

    /// Returns a spec with the present paths.
    package func spec(_ spec: DownloadSpec) -> DownloadSpec { spec.mappingPaths(path) }
}
