import Foundation
import HaulCore
import HaulFiles
import HaulTesting
import Testing

/// What stands under the partial's name and is not Haul's is nobody's to overwrite.
@Suite struct AsideTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(resumes: Bool = true) throws -> PartialFile {
        try PartialFile.open(finalPath: folder.path("f"), sourceID: "source", resumes: resumes, system: .quick())
    }

    private func bytes(_ count: Int, _ value: UInt8 = 7) -> [UInt8] { [UInt8](repeating: value, count: count) }

    @Test(arguments: [true, false], [1, 262_144, 262_145]) func withoutAJournalItIsForeign(resumes: Bool, size: Int)
        throws
    {
        try folder.put(bytes(size), "f.part")
        let partial = try open(resumes: resumes)
        #expect(partial.isForeign)
        #expect(try partial.moveAside() == folder.path("f.part.bad"))
        #expect(folder.names == ["f.part.bad"])
        #expect(folder.bytes("f.part.bad") == bytes(size))
        let anew = try open(resumes: resumes)
        #expect(!anew.isForeign && anew.found == .nothing)
        anew.close()
    }

    @Test func emptyOnesAndThoseWithAJournalAreHauls() throws {
        try folder.put([], "f.part")
        #expect(try !open().isForeign)
        for total in [PartialFile.smallFileBytes + 1, nil] {
            for resumes in [true, false] {
                let partial = try open(resumes: resumes)
                _ = try partial.begin(total: total, etag: nil, lastModified: nil)
                try partial.write(bytes(10), at: 0)
                // As a killed process leaves it: the lock goes, nothing else does.
                try FileManager.default.copyItem(atPath: folder.path("f.part.haul"), toPath: folder.path("kept"))
                partial.close()
                try folder.put(bytes(10), "f.part")
                try FileManager.default.moveItem(atPath: folder.path("kept"), toPath: folder.path("f.part.haul"))
                #expect(try open(resumes: false).isForeign == false)
                try FileManager.default.removeItem(atPath: folder.path("f.part.haul"))
            }
        }
    }

    @Test func fileInThePlaceOfAPartialIsForeign() throws {
        let partial = try open()
        _ = try partial.begin(total: 300_000, etag: "\"v\"", lastModified: nil)
        try FileManager.default.removeItem(atPath: folder.path("f.part"))
        try folder.put(bytes(5), "f.part")
        #expect(try open().isForeign)
        // The first one's own file is not there any more: it leaves alone what has its name.
        let refusal = #expect(throws: DownloadError.self) { try partial.moveAside() }
        #expect(refusal?.code == .fileFailed && folder.bytes("f.part") == bytes(5))
    }

    /// A kill between the new name and the end of what stood beside the old one.
    @Test func markOfAPublishedFileIsNoJournal() throws {
        let partial = try open(resumes: false)
        _ = try partial.begin(total: 300_000, etag: nil, lastModified: nil)
        try FileManager.default.moveItem(atPath: folder.path("f.part"), toPath: folder.path("f"))
        let names = PartialNames(final: folder.path("f"))
        #expect(try PartialFile.finishPublished(partial.identity, size: nil, names) == nil)
        #expect(try PartialFile.finishPublished(partial.identity, size: 300_000, names) == 300_000)
        #expect(folder.names == ["f"])
    }

    @Test func namesAreNeverTakenFromOthers() throws {
        for (number, name) in ["f.part.bad", "f.part.bad-2", "f.part.bad-3"].enumerated() {
            try folder.put(bytes(300_000, UInt8(number)), "f.part")
            #expect(try open().moveAside() == folder.path(name))
        }
        #expect(folder.bytes("f.part.bad") == bytes(300_000, 0) && folder.bytes("f.part.bad-2") == bytes(300_000, 1))
    }

    /// A small file has no journal, so what kills leave of it looks like another program's.
    @Test func beginningsOfOneFileDoNotPileUp() throws {
        for count in [100, 50, 100, 200, 1] {
            try folder.put(bytes(count), "f.part")
            #expect(try open().moveAside() == folder.path("f.part.bad"))
            #expect(folder.names == ["f.part.bad"])
        }
        #expect(folder.bytes("f.part.bad") == bytes(200))
        try folder.put(bytes(100, 8), "f.part")
        #expect(try open().moveAside() == folder.path("f.part.bad-2"))
    }

    @Test func onlyTheBeginningOfTheFinishedFileIsRemoved() throws {
        try folder.put(bytes(200), "file")
        for (aside, goes) in [(bytes(200), true), (bytes(1), true), (bytes(201), false), (bytes(10, 8), false)] {
            try folder.put(aside, "aside")
            #expect(try PartialFile.dropAside(folder.path("aside"), ofFile: folder.path("file")) == goes)
            #expect((folder.bytes("aside") == nil) == goes)
        }
        try folder.put(bytes(300_000), "file")
        try folder.put(bytes(300_000), "aside")
        #expect(try !PartialFile.dropAside(folder.path("aside"), ofFile: folder.path("file")))
        #expect(try !PartialFile.dropAside(folder.path("none"), ofFile: folder.path("file")))
    }
}
