import Foundation
import HaulCore
import HaulTesting
import Testing

@testable import HaulFiles

/// Calls in a folder that stays open.
@Suite struct OpenFolderTests {
    let folder: TemporaryFolder
    let system: SystemCalls

    init() throws {
        folder = try TemporaryFolder()
        for name in ["d", "outside"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        system = try SystemCalls.live.inFolders([folder.path("d")])
    }

    private func exchange() throws {
        try FileManager.default.moveItem(atPath: folder.path("d"), toPath: folder.path("moved"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("d"), withDestinationPath: folder.path("outside"))
    }

    @Test func aMovedFolderIsNoticed() throws {
        #expect(system.realPathsOfFolders == [SystemCalls.live.realPath(folder.path("d"))])
        #expect(system.movedFolder == nil)
        try exchange()
        #expect(system.movedFolder == folder.path("d"))
        #expect(SystemCalls.live.movedFolder == nil)
    }

    @Test func namesAreThoseOfTheFolderThatWasOpened() throws {
        try folder.put([1], "d/a")
        try exchange()
        try folder.put([9, 9], "outside/a")
        let path = folder.path("d/")
        #expect(try system.status(atPath: path + "a")?.size == 1)
        #expect(try system.status(atPath: path + "b") == nil)
        try system.write(try system.open(path + "c", .createNew), [3], at: 0)
        try system.rename(path + "a", to: path + "b")
        try system.rename(path + "b", withoutReplacing: path + "e")
        try system.link(path + "e", to: path + "f")
        try system.unlink(path + "c")
        try system.syncFolder(folder.path("d"))
        #expect(try names("moved") == ["e", "f"])
        #expect(try names("outside") == ["a"])
    }

    @Test func aFileWithoutANameIsNamedInTheFolderThatWasOpened() throws {
        try exchange()
        let file = try system.openNameless(inFolder: folder.path("d"))
        try system.name(file, folder.path("d/a"))
        #expect(try names("moved") == ["a"])
        #expect(try names("outside").isEmpty)
    }

    @Test func pathsInOtherFoldersAreUsual() throws {
        let sibling = folder.path("dd")
        try FileManager.default.createDirectory(atPath: sibling + "/d", withIntermediateDirectories: true)
        _ = try system.open(sibling + "/a", .create)
        _ = try system.open(folder.path("dd/d/b"), .create)
        #expect(try names("dd") == ["a", "d"])
        #expect(try names("dd/d") == ["b"])
    }

    @Test func aLinkToAFolderIsFollowedOnce() throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("d"))
        let system = try SystemCalls.live.inFolders([folder.path("link")])
        #expect(system.realPathsOfFolders == [SystemCalls.live.realPath(folder.path("d"))])
        _ = try system.open(folder.path("link/a"), .create)
        #expect(try names("d") == ["a"])
    }

    @Test func theRootFolder() throws {
        let system = try SystemCalls.live.inFolders(["/"])
        #expect(try system.status(atPath: "/etc")?.kind == .folder)
        #expect(system.realPathsOfFolders == ["/"])
    }

    @Test func aMissingFolderIsAnError() {
        let error = #expect(throws: FileError.self) { try SystemCalls.live.inFolders([folder.path("none")]) }
        #expect(error?.code == ENOENT)
    }

    private func names(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(name)).sorted()
    }
}
