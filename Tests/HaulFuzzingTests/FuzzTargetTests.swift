import HaulFuzzing
import Testing

@Suite("Fuzz targets")
struct FuzzTargetTests {
    @Test("each target has a corpus, and each corpus a target")
    func corporaAndTargets() throws {
        let names = FuzzTarget.all.map(\.name)
        #expect(try Corpora.names() == names)
        #expect(names == names.sorted())
        for target in FuzzTarget.all { #expect(try Corpora.inputs(of: target).count >= 3, "\(target.name)") }
    }

    @Test("the corpus does no harm", arguments: FuzzTarget.all)
    func replay(target: FuzzTarget) throws {
        for input in try Corpora.inputs(of: target) {
            #expect(throws: Never.self, "\(input.name)") { try target.check(input.bytes) }
        }
    }

    @Test("1000 inputs near to the corpus do no harm", arguments: FuzzTarget.all)
    func mutations(target: FuzzTarget) throws {
        var mutator = Mutator(seeds: try Corpora.inputs(of: target).map(\.bytes), seed: 4)
        for _ in 0..<1000 {
            let bytes = mutator.next()
            do throws(FuzzFinding) {
                try target.check(bytes)
            } catch {
                Issue.record("\(error), with \(bytes)")
                return
            }
        }
    }

    @Test("nothing, and 8 KiB of one byte, do no harm", arguments: FuzzTarget.all)
    func extremes(target: FuzzTarget) throws {
        try target.check([])
        for byte in [0, UInt8(ascii: "\n"), UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: "9"), 0xFF] {
            try target.check([UInt8](repeating: byte, count: 8 * 1024))
        }
    }

    @Test(
        "a target of two texts parts its input at the first line end, wherever that is",
        arguments: [
            ("", "", ""), ("a", "a", ""), ("a\nb\nc", "a", "b\nc"), ("\nb", "", "b"), ("a\n", "a", ""),
        ])
    func parts(input: String, first: String, rest: String) throws {
        let target = FuzzTarget(
            "parts",
            texts: { one, other throws(FuzzFinding) in
                guard (one, other) == (first, rest) else { throw FuzzFinding("\(one), \(other)") }
            })
        try target.check(Array(input.utf8))
    }
}
