import Foundation
import HaulCore
import HaulServer
import HaulTesting
import Testing

@Suite("The token")
struct AccessTokenTests {
    @Test("It is made once, with 256 bits, for the user alone, and read again afterwards")
    func kept() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/token"
        let token = try AccessToken.kept(at: path)
        #expect(token.text.utf8.count == 64)
        #expect(try AccessToken.kept(at: path).text == token.text)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try AccessToken.kept(at: folder.path + "/other").text != token.text)
        #expect(folder.names == ["other", "token"])
    }

    @Test("What a killed process has left beside it is replaced")
    func draft() throws {
        let folder = try TemporaryFolder()
        try folder.put([], "token.draft-\(getpid())")
        #expect(try AccessToken.kept(at: folder.path + "/token").text.utf8.count == 64)
        #expect(folder.names == ["token"])
    }

    @Test("What other killed processes have left beside it is removed, and nothing else")
    func otherDrafts() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/token"
        let others = [
            "other.draft-1", "token.draft-0", "token.draft-07", "token.draft-1a", "token.1", "token.20240131",
            "token.draft-", "token.draft--1",
        ]
        for name in ["token.draft-1", "token.draft-4194304"] + others { try folder.put([1], name) }
        let files = FileManager.default
        try files.createSymbolicLink(atPath: path + ".draft-2", withDestinationPath: path)
        try files.createDirectory(atPath: path + ".draft-3", withIntermediateDirectories: false)
        let token = try AccessToken.kept(at: path)
        #expect(try AccessToken.kept(at: path).text == token.text)
        #expect(Set(folder.names) == Set(others + ["token", "token.draft-2", "token.draft-3"]))
    }

    @Test("A token that others may read is not used", arguments: [0o644, 0o640, 0o604, 0o660])
    func readable(mode: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/token"
        _ = try AccessToken.kept(at: path)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(throws: DownloadError.self) { try AccessToken.kept(at: path) }
    }

    @Test("No link is followed to it")
    func link() throws {
        let folder = try TemporaryFolder()
        _ = try AccessToken.kept(at: folder.path + "/real")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/token", withDestinationPath: folder.path + "/real")
        #expect(throws: DownloadError.self) { try AccessToken.kept(at: folder.path + "/token") }
    }

    @Test(
        "A short one, or one that no header can hold, is refused",
        arguments: ["", "short", String(repeating: " ", count: 30)])
    func bad(text: String) throws {
        #expect(throws: DownloadError.self) { try AccessToken(text) }
        let folder = try TemporaryFolder()
        let path = folder.path + "/token"
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
        #expect(throws: DownloadError.self) { try AccessToken.kept(at: path) }
    }

    @Test("Only the very text matches it")
    func matches() throws {
        let text = "0123456789abcdef0123456789abcdef"
        let token = try AccessToken(text)
        #expect(token.matches(text))
        for index in text.indices {
            var other = text
            other.replaceSubrange(index...index, with: "x")
            #expect(!token.matches(other))
            #expect(!token.matches(String(text[..<index])))
        }
        #expect(!token.matches(text + "0"))
    }
}
