import HaulCore
import HaulTesting
import Testing

@testable import HaulFiles

/// Files of other users in a folder such as `/tmp`.
@Suite struct OwnerTests {
    let folder: TemporaryFolder
    let names: PartialNames

    init() throws {
        folder = try TemporaryFolder()
        names = PartialNames(final: folder.path("x"))
    }

    @Test(arguments: [".part", ".part.haul", ".part.haul.new"])
    func fileOfAnotherUserIsForeign(suffix: String) throws {
        try folder.put([], "x" + suffix)
        #expect(try PartialFile.ownership(names, .sharedFolder(strangers: [suffix])) == .foreign)
        #expect(try PartialFile.ownership(names, .sharedFolder(strangers: [])) == .nothing)
        // In a folder of the user's own, root continues.
        #expect(try PartialFile.ownership(names, .sharedFolder(isShared: false, strangers: [suffix])) == .nothing)
        #expect(
            try PartialFile.ownership(names, .sharedFolder(owner: SystemCalls.stranger, strangers: [suffix]))
                == .nothing)
    }

    @Test func fileOfAnotherUserThatAppearsIsNotOpened() throws {
        try folder.put([1], "x.part")
        let error = #expect(throws: DownloadError.self) {
            try PartialFile.open(names, sourceID: "a", resumes: false, system: .sharedFolder(strangers: [".part"]))
        }
        #expect(error?.code == .destinationBusy)
        #expect(error?.message.contains("belongs to another user") == true)
        #expect(folder.bytes("x.part") == [1])
    }
}
