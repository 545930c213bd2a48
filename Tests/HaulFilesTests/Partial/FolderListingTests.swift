import HaulTesting
import Testing

@testable import HaulFiles

/// What was in a folder.
@Suite struct FolderListingTests {
    @Test("knows what was not there: neither file, partial nor journal")
    func lacks() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b.part", "c.part.haul", "ü €"] { try folder.put([1], name) }
        let listing = try FolderListing(folder.path, limit: 4)
        #expect(listing.count == 4)
        for name in ["a", "A", "b", "B", "C", "c", "ü €", "Ü €", "not there, but beyond ASCII: €"] {
            #expect(!listing.lacks(PartialNames(final: folder.path + "/" + name)))
        }
        for name in ["aa", "d", "b.part.haul", ".", ".."] {
            #expect(listing.lacks(PartialNames(final: folder.path + "/" + name)))
        }
    }

    @Test("an empty folder, one with more names than asked for, and one that is none")
    func limits() throws {
        let folder = try TemporaryFolder()
        #expect(try FolderListing(folder.path, limit: 0).count == 0)
        for number in 0..<5 { try folder.put([], "\(number)") }
        #expect(try FolderListing(folder.path, limit: 5).count == 5)
        #expect(throws: FileError.self) { try FolderListing(folder.path, limit: 4) }
        #expect(throws: FileError.self) { try FolderListing(folder.path + "/0", limit: 4) }
        #expect(throws: FileError.self) { try FolderListing(folder.path + "/none", limit: 4) }
    }

    @Test("a fault of the system is an error")
    func faults() throws {
        let folder = try TemporaryFolder()
        try folder.put([1], "a")
        #expect(throws: FileError.self) {
            try FolderListing(folder.path, limit: 4, system: SystemCalls { _ in .fail(5) })
        }
    }
}
