import Foundation
import HaulCore
import HaulFiles
import HaulTesting
import Testing

/// A file under the partial's name that is not Haul's is left alone.
@Suite struct ForeignPartialTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(resumes: Bool = true) throws -> PartialFile {
        try PartialFile.open(finalPath: folder.path("f"), sourceID: "source", resumes: resumes, system: .quick())
    }

    private func bytes(_ count: Int, _ value: UInt8 = 7) -> [UInt8] { [UInt8](repeating: value, count: count) }

    /// Nothing but a journal is replaced by one, damaged as it may be.
    @Test(arguments: ["f.part.haul", "f.part.haul.new"])
    func whatIsNotAJournalIsForeign(name: String) throws {
        let names = PartialNames(final: folder.path("f"))
        for foreign in ["my notes", "HAULPARX", String(repeating: "x", count: 5000)] {
            try folder.put(Array(foreign.utf8), name)
            #expect(try PartialFile.isForeign(names))
        }
        for own in ["", "HAUL", "HAULPART", "HAULPART and what is not right"] {
            try folder.put(Array(own.utf8), name)
            #expect(try !PartialFile.isForeign(names))
        }
        try FileManager.default.removeItem(atPath: folder.path(name))
        try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: "elsewhere")
        #expect(try PartialFile.isForeign(names))
    }

    @Test(arguments: [true, false], [1, 262_144, 262_145])
    func withoutAJournalItIsForeign(resumes: Bool, size: Int) throws {
        try folder.put(bytes(size), "f.part")
        let names = PartialNames(final: folder.path("f"))
        #expect(try PartialFile.isForeign(names) && !PartialFile.isPartial(names))
        let partial = try open(resumes: resumes)
        #expect(partial.isForeign)
        partial.close()
        #expect(folder.names == ["f.part"] && folder.bytes("f.part") == bytes(size))
        let other = try PartialFile.open(names.alternative, sourceID: "source", resumes: resumes, system: .quick())
        #expect(!other.isForeign && other.found == .nothing && other.names.final == folder.path("f"))
        other.close()
    }

    @Test(arguments: [true, false], [10, PartialFile.smallFileBytes + 1, nil])
    func whatAKilledProcessLeavesIsHauls(resumes: Bool, total: Int64?) throws {
        let partial = try open(resumes: resumes)
        _ = try partial.begin(total: total, etag: nil, lastModified: nil)
        try partial.write(bytes(10), at: 0)
        let journal = try #require(folder.bytes("f.part.haul"))
        #expect(journal.isEmpty == (!resumes || total == 10))
        let names = PartialNames(final: folder.path("f"))
        #expect(try PartialFile.isPartial(names) && !PartialFile.isForeign(names))
        partial.close()
        #expect(folder.names.isEmpty)
    }

    @Test func aFileInThePlaceOfAPartialIsForeign() throws {
        let partial = try open()
        _ = try partial.begin(total: 300_000, etag: "\"v\"", lastModified: nil)
        try FileManager.default.removeItem(atPath: folder.path("f.part"))
        try folder.put(bytes(5), "f.part")
        #expect(try open().isForeign)
        #expect(try PartialFile.isForeign(PartialNames(final: folder.path("f"))))
    }

    /// A journal of a later version may still be of use to that version.
    @Test func aPartialOfALaterVersionIsForeign() throws {
        let partial = try open()
        _ = try partial.begin(total: 300_000, etag: "\"v\"", lastModified: nil)
        var journal = try #require(folder.bytes("f.part.haul"))
        journal[8] += 1
        try folder.put(journal, "f.part.haul")
        #expect(try PartialFile.isForeign(PartialNames(final: folder.path("f"))))
    }

    @Test func alternativeNames() {
        let names = PartialNames(final: "/a/b")
        #expect(names.alternative.partial == "/a/b~2.part" && names.alternative.journal == "/a/b~2.part.haul")
        #expect(names.alternative.alternative == names.alternative && names.alternative.standard == names)
        #expect(names.standard == names && names.alternative.areAlternative && !names.areAlternative)
    }
}
