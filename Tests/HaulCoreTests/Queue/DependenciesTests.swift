import HaulCore
import HaulTestData
import Testing

@Suite("Downloads that wait for others") struct DependenciesTests {
    private func id(_ number: Int64) -> DownloadID { DownloadID(rawValue: number) }

    @Test("are free when the last of them has finished, oldest first")
    func resolve() {
        var all = Dependencies()
        all.add(id(5), after: [id(1), id(2)])
        all.add(id(4), after: [id(2)])
        all.add(id(6), after: [id(5)])
        #expect(all.count == 3 && all.blocker(of: id(5)) == id(1) && all.blocker(of: id(1)) == nil)
        #expect(all.resolve(id(1)) == [] && all.blocker(of: id(5)) == id(2))
        #expect(all.resolve(id(2)) == [id(4), id(5)])
        #expect(all.resolve(id(2)) == [] && all.count == 1)
        #expect(all.resolve(id(5)) == [id(6)] && all.count == 0)
    }

    @Test("can be removed, and added again for others")
    func remove() {
        var all = Dependencies()
        all.add(id(3), after: [id(1)])
        all.add(id(3), after: [id(2)])
        #expect(all.resolve(id(1)) == [] && all.blocker(of: id(3)) == id(2))
        #expect(all.remove(id(3)) && !all.remove(id(3)))
        #expect(all.resolve(id(2)) == [] && all.count == 0)
        all.add(id(3), after: [])
        #expect(all.count == 0)
    }

    @Test("are what a plain list of pairs says, whatever happens", arguments: 0..<50 as Range<UInt64>)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var all = Dependencies()
        var plain: [DownloadID: Set<DownloadID>] = [:]
        for _ in 0..<200 {
            let one = id(.random(in: 1...9, using: &random))
            switch Int.random(in: 0...2, using: &random) {
            case 0:
                let others = Set(
                    (0..<Int.random(in: 0...3, using: &random)).map { _ in id(.random(in: 1...9, using: &random)) })
                all.add(one, after: others)
                plain[one] = others.isEmpty ? nil : others
            case 1:
                #expect(all.remove(one) == (plain.removeValue(forKey: one) != nil))
            default:
                var free: [DownloadID] = []
                for (key, others) in plain where others.contains(one) {
                    plain[key]?.remove(one)
                    guard plain[key]?.isEmpty == true else { continue }
                    plain[key] = nil
                    free.append(key)
                }
                #expect(all.resolve(one) == free.sorted())
            }
            #expect(all.count == plain.count)
            for number in 1...9 as ClosedRange<Int64> {
                #expect(all.blocker(of: id(number)) == plain[id(number)]?.min())
                #expect(all.dependents(of: id(number)) == Set(plain.filter { $0.value.contains(id(number)) }.keys))
            }
        }
    }
}
