import HaulCore
import Testing

@testable import HaulStore

@Suite("Facts of starts and finishes in JSON") struct FactsEncoderTests {
    private static let files: [FileIdentity?] = [
        nil, FileIdentity(device: .max, inode: 0), FileIdentity(device: 1, inode: .max, born: -5),
    ]
    private static let paths = [
        "", "/a/b.bin", "/d/Ä 日本 👍 e\u{301}", "/with \"quotes\"", "/back\\slash", "/line\nbreak", "/\u{1}\u{1F}\u{7F}",
        "/\u{2028}\u{85}",
    ]
    private static let verifications: [Verification] = [
        .size, .nothing, .sizeAndDate, .pieces(.sha256), Samples.facts.verification,
    ]

    @Test("are the same as those of the general encoder, and can be read back", arguments: paths, verifications)
    func finish(path: String, verification: Verification) throws {
        var encoder = FactsEncoder()
        for (seconds, bytes) in [(0.0, 0 as Int64), (1, .max), (0.1, 5), (1e-7, 6), (123_456.75, 7), (1e300, 8)] {
            for file in Self.files {
                var facts = FinishFacts(
                    path: path, totalBytes: bytes, sessionBytes: -1, seconds: seconds, verification: verification,
                    kept: bytes == 5)
                (facts.file, facts.fileModified) = (file, file?.born)
                #expect(try encoder.text(facts) == StoredJSON.text(facts))
                #expect(try encoder.text(.finished(facts)) == StoredJSON.text(DownloadEvent.Kind.finished(facts)))
                #expect(try StoredJSON.value(encoder.text(facts)) == facts)
            }
        }
    }

    @Test("of a start are the same, too", arguments: paths)
    func start(path: String) throws {
        var encoder = FactsEncoder()
        for file in Self.files {
            for total in [nil, 0, Int64.max] {
                let facts = StartFacts(
                    path: path, totalBytes: total, resumedBytes: 3, insecure: total == nil, partial: file)
                #expect(try encoder.text(.started(facts)) == StoredJSON.text(DownloadEvent.Kind.started(facts)))
            }
        }
    }

    @Test("cannot be written if a number is not finite, as with the general encoder")
    func notFinite() {
        var encoder = FactsEncoder()
        var facts = Samples.facts
        facts.verification = .size
        facts.seconds = .infinity
        #expect(throws: (any Error).self) { try encoder.text(facts) }
    }

    @Test("of one verification are not those of the next one")
    func alternating() throws {
        var encoder = FactsEncoder()
        for verification in [Verification.size, .nothing, .size, .pieces(.md5), .pieces(.sha1)] {
            var facts = Samples.facts
            facts.verification = verification
            #expect(try encoder.text(facts) == StoredJSON.text(facts))
        }
    }
}
