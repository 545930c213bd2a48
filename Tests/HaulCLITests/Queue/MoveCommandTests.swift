import HaulCore
import Testing

@testable import HaulCLI

@Suite("haul move")
struct MoveCommandTests {
    /// Returns a list after the moves, as the daemon carries them out: an index counts the other downloads.
    private func list(_ count: Int64, _ moves: [MoveCommand.Move]) -> [Int64] {
        var list = Array(1...count)
        for move in moves {
            list.removeAll { $0 == move.id.rawValue }
            list.insert(move.id.rawValue, at: min(move.index, list.count))
        }
        return list
    }

    @Test(
        "a range keeps its order at each position, wherever it was", arguments: [1, 2, 3, 4, 5, 6] as [Int64],
        [1, 2, 3] as [Int64])
    func order(first: Int64, length: Int64) throws {
        let count: Int64 = 6
        let range = first...min(first + length - 1, count)
        let others = (1...count).filter { !range.contains($0) }
        for place in ["top", "1", "2", "3", "4", "5", "6", "7", "bottom"] {
            let index = try MoveCommand.index(place)
            let moves = MoveCommand.moves(of: range.map { DownloadID(rawValue: $0) }, to: index)
            let before = min(index, others.count)
            let expected = Array(others.prefix(before)) + Array(range) + Array(others.dropFirst(before))
            #expect(list(count, moves) == expected, "\(range) to \(place)")
            // Each is reported once.
            #expect(Set(moves.filter(\.isLast).map(\.id.rawValue)) == Set(range))
            #expect(moves.count(where: \.isLast) == range.count)
        }
    }
}
