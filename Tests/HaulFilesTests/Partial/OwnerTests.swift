import HaulCore
import HaulLibC
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

    /// Returns calls for which all users may write in the folder, and files with the suffix are another user's.
    private func system(isShared: Bool = true, folderOwner: UInt32 = 0, stranger suffix: String) -> SystemCalls {
        SystemCalls(
            hook: nil,
            appearance: { status, path in
                var status = status
                if status.kind == .folder { (status.isShared, status.owner) = (isShared, folderOwner) }
                let path = path.hasPrefix("/proc/") ? SystemCalls.live.realPath(path) ?? path : path
                if status.kind == .regular { status.owner = path.hasSuffix(suffix) ? 4711 : geteuid() }
                return status
            })
    }

    @Test(arguments: [".part", ".part.haul", ".part.haul.new"])
    func fileOfAnotherUserIsForeign(suffix: String) throws {
        try folder.put([], "x" + suffix)
        #expect(try PartialFile.ownership(names, system(stranger: suffix)) == .foreign)
        #expect(try PartialFile.ownership(names, system(stranger: "other")) == .nothing)
        // In a folder of the user's own, root continues.
        #expect(try PartialFile.ownership(names, system(isShared: false, stranger: suffix)) == .nothing)
        #expect(try PartialFile.ownership(names, system(folderOwner: 4711, stranger: suffix)) == .nothing)
    }

    @Test func fileOfAnotherUserThatAppearsIsNotOpened() throws {
        try folder.put([1], "x.part")
        let error = #expect(throws: DownloadError.self) {
            try PartialFile.open(names, sourceID: "a", resumes: false, system: system(stranger: ".part"))
        }
        #expect(error?.code == .destinationBusy)
        #expect(error?.message.contains("belongs to another user") == true)
        #expect(folder.bytes("x.part") == [1])
    }
}
