import HaulBatch
import Testing

@Suite struct PartNameTests {
    @Test func `a part is named by shard and number`() {
        #expect(PartName(shard: 3, part: 0).text == "part-00003-0000")
        #expect(PartName(shard: 123_456, part: 12_345).text == "part-123456-12345")
    }

    @Test func `every entry is read as it is written`() {
        for kind in [PartEntry.Kind.data(.tar), .data(.files), .results] {
            for isFinal in [true, false] {
                for name in [PartName(shard: 0, part: 0), PartName(shard: 123_456, part: 99_999)] {
                    let entry = PartEntry(name, kind, isFinal: isFinal)
                    #expect(PartEntry(entry.text) == entry)
                }
            }
        }
    }

    @Test(arguments: [
        "part-3-0.tar", "part-00003-0000.zip", "part-00003.tar", "x", "", "part-00003-0000.tar.partial.partial",
        "part--0003-0000", "part-00000-9223372036854775807.tar", "part-1000000000-0000.tar", ".shard-0.lock",
        "batch.json",
    ])
    func `other names are not of parts`(name: String) { #expect(PartEntry(name) == nil) }

    @Test(arguments: PartFormat.allCases)
    func `every state that a killed run can leave is told apart`(format: PartFormat) {
        let name = PartName(shard: 0, part: 1)
        let data = PartEntry.Kind.data(format)
        // In the order in which a part is made: data, results, both unfinished; then results and data are renamed.
        func listing(_ entries: [(PartEntry.Kind, Bool)]) -> PartListing {
            PartListing(entries.map { PartEntry(name, $0.0, isFinal: $0.1).text } + ["batch.json"], format: format)
        }
        #expect(listing([]) == PartListing([], format: format))
        #expect(listing([(data, false)]).strays == [PartEntry(name, data, isFinal: false).text])
        #expect(listing([(data, false), (.results, false)]).unfinished == [name])
        #expect(listing([(data, false), (.results, true)]).unnamed == [name])
        #expect(listing([(data, true), (.results, true)]).finished == [name])
        #expect(listing([(.results, true)]).damaged.count == 1)
        #expect(listing([(data, true)]).damaged.count == 1)
        #expect(listing([(data, true), (.results, false)]).damaged.count == 1)
        #expect(listing([(data, true), (.results, true)]).next == 2)
        #expect(PartListing([], format: format).next == 0)
    }

    @Test func `parts of other shards are left out`() {
        let names = (0..<3).map { PartEntry(PartName(shard: $0, part: 0), .results, isFinal: false).text }
        #expect(PartListing(names, format: .tar, shard: 1).unfinished == [PartName(shard: 1, part: 0)])
    }

    @Test func `settings conflict in each of their values`() {
        let settings = BatchSettings(
            shards: 4, shardBy: "host", format: .tar, perHost: 4, manifest: ManifestStart(bytes: 9, sha256: "a"))
        #expect(settings.conflict(with: settings) == nil)
        let paths: [(inout BatchSettings) -> Void] = [
            { $0.version = 2 }, { $0.shards = 5 }, { $0.shardBy = "row" }, { $0.format = "files" }, { $0.perHost = 5 },
            { $0.manifest?.bytes = 10 }, { $0.manifest?.sha256 = "b" }, { $0 = BatchSettings(namedShards: .tar) },
        ]
        for change in paths {
            var other = settings
            change(&other)
            #expect(settings.conflict(with: other) != nil && other.conflict(with: settings) != nil)
        }
    }

    @Test func `the number of shards in words`() {
        let words = [1, 4].map {
            BatchSettings(shards: $0, shardBy: "row", format: .tar, perHost: nil, manifest: nil).division
        }
        #expect(words == ["one shard", "4 shards"])
        #expect(BatchSettings(namedShards: .tar).division == "shards with names (--shard-name)")
    }
}
