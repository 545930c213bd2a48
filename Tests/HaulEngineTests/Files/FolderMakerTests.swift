import Foundation
import Haul
import HaulCore
import HaulTesting
import Testing

@Suite("Folders that are missing") struct FolderMakerTests {
    private func isFolder(_ path: String) -> Bool {
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        return type == .typeDirectory
    }

    @Test(
        "are created, with those above them", arguments: ["a", "a/b/c", "a//b/", "./a", "a/./b", "a/../b/c", "ä b/ü"])
    func created(path: String) throws {
        let folder = try TemporaryFolder()
        try FolderMaker.make("\(folder.path)/\(path)")
        #expect(isFolder("\(folder.path)/\(path)"))
        try FolderMaker.make("\(folder.path)/\(path)")
    }

    @Test(
        "the error says what to do",
        arguments: [
            (EMFILE, .tooManyFiles, "ulimit -n"), (ENFILE, .tooManyFiles, "ulimit -n"), (ENOSPC, .noSpace, "free some"),
            (EACCES, .fileFailed, "no permission"), (EIO, .fileFailed, "another folder"),
        ] as [(Int32, DownloadError.Code, String)])
    func failure(number: Int32, code: DownloadError.Code, advice: String) {
        let error = FolderMaker.failure("/a/b", number)
        #expect(error.code == code && error.message.contains("/a/b: ") && error.message.contains(advice))
    }

    @Test("existing links to folders are followed") func followed() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/real", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "real")
        try FolderMaker.make(folder.path + "/link/new/one")
        #expect(isFolder(folder.path + "/real/new/one"))
    }

    @Test(
        "links that lead nowhere are refused, whatever they would lead to", arguments: ["link", "link/x", "a/link/x"])
    func dangling(path: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/a", withIntermediateDirectories: true)
        for targetPath in ["link", "a/link"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/\(targetPath)", withDestinationPath: folder.path + "/elsewhere")
        }
        let error = #expect(throws: DownloadError.self) { try FolderMaker.make("\(folder.path)/\(path)") }
        #expect(error?.code == .fileFailed && error?.message.contains("/link:") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/elsewhere"))
    }

    @Test("below a base no link is followed, not even one to a folder", arguments: ["link", "link/x", "a/link/x"])
    func strict(path: String) throws {
        let folder = try TemporaryFolder()
        try FolderMaker.make(folder.path + "/a")
        try FolderMaker.make(folder.path + "/real")
        for targetPath in ["link", "a/link"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/\(targetPath)", withDestinationPath: folder.path + "/real")
        }
        let error = #expect(throws: DownloadError.self) {
            try FolderMaker.make("\(folder.path)/\(path)", below: folder.path)
        }
        #expect(error?.code == .fileFailed && error?.message.contains("/link:") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/real").isEmpty)
        try FolderMaker.make("\(folder.path)/link/new/x", below: "\(folder.path)/link")
        #expect(isFolder(folder.path + "/real/new/x"))
    }

    @Test("a file in the way is named") func fileInTheWay() throws {
        let folder = try TemporaryFolder()
        _ = FileManager.default.createFile(atPath: folder.path + "/f", contents: nil)
        let error = #expect(throws: DownloadError.self) { try FolderMaker.make(folder.path + "/f/new") }
        #expect(error?.message.hasPrefix("can't create the folder \(folder.path)/f:") == true)
        #expect(error?.cause?.isEmpty == false)
    }

    @Test("those of a download: of its file, its folder and its partial file") func ofDownload() throws {
        let folder = try TemporaryFolder()
        let maker = FolderMaker()
        var spec = DownloadSpec(url: "http://h/", destination: .file(path: folder.path + "/a/b/f"))
        spec.partialFolder = folder.path + "/p"
        try maker.prepare(for: spec)
        #expect(isFolder(folder.path + "/a/b") && isFolder(folder.path + "/p"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/a/b/f"))
        try maker.prepare(for: DownloadSpec(url: "http://h/", destination: .folder(path: folder.path + "/c")))
        try maker.prepare(for: DownloadSpec(url: "http://h/", destination: .hashed(folder: folder.path + "/d")))
        #expect(isFolder(folder.path + "/c") && isFolder(folder.path + "/d"))
        try maker.prepare(for: DownloadSpec(url: "http://h/", destination: .file(path: "f")))
        try maker.prepare(for: DownloadSpec(url: "http://h/", destination: .file(path: "/f")))
    }
}
