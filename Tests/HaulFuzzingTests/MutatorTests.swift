import HaulFuzzing
import Testing

@Suite("Mutations of a corpus")
struct MutatorTests {
    private let seeds = ["bytes 0-9/100", "bytes */100"].map { Array($0.utf8) }

    @Test("the same seed makes the same inputs, another one others")
    func determinism() {
        var (one, same, other) = (
            Mutator(seeds: seeds, seed: 1), Mutator(seeds: seeds, seed: 1), Mutator(seeds: seeds, seed: 2)
        )
        let first = (0..<100).map { _ in one.next() }
        #expect(first == (0..<100).map { _ in same.next() })
        #expect(first != (0..<100).map { _ in other.next() })
    }

    @Test("without a corpus there are inputs, too")
    func noise() {
        var mutator = Mutator(seeds: [], seed: 1)
        #expect(Set((0..<200).map { _ in mutator.next() }).count > 50)
    }

    // A mutator that does not lead to these would be good for nothing.
    @Test("it finds the usual mistakes within 3000 inputs", arguments: Mistake.allCases)
    func finds(mistake: Mistake) {
        var mutator = Mutator(seeds: seeds, seed: 4)
        #expect((0..<3000).contains { _ in mistake.isMade(with: mutator.next()) })
    }

    enum Mistake: CaseIterable {
        case numberBeyondInt64, lastBeforeFirst, nulByte, noUTF8, nothing, doubledDelimiter, joinedMark

        func isMade(with bytes: [UInt8]) -> Bool {
            let text = String(decoding: bytes, as: UTF8.self)
            return switch self {
            case .numberBeyondInt64: text.contains("9223372036854775808")
            case .lastBeforeFirst: text.contains("9-0") || text.contains("9-9223372036854775807")
            case .nulByte: bytes.contains(0)
            case .noUTF8: String(validating: bytes, as: UTF8.self) == nil
            case .nothing: bytes.isEmpty
            case .doubledDelimiter: text.contains("--") || text.contains("//")
            case .joinedMark: text.unicodeScalars.contains("\u{301}")
            }
        }
    }
}
