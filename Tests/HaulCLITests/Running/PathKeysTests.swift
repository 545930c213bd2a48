import Foundation
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("The keys of files")
struct PathKeysTests {
    @Test("every spelling of a path has one key, whether its folder exists or not")
    func spellings() throws {
        let folder = try TemporaryFolder()
        let base = folder.path
        try FileManager.default.createDirectory(atPath: base + "/a/b", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: base + "/link", withDestinationPath: base + "/a/b")
        var keys = PathKeys()
        let key = keys.key(of: base + "/a/b/f")
        for path in ["/a/b//f", "/a/./b/f", "/a/b/../b/f", "/link/f", "//a/b/f", "/a/../link/f"] {
            #expect(keys.key(of: base + path) == key, "\(path)")
        }
        for path in ["/a/b/g", "/a/f", "/f", "/b/f"] { #expect(keys.key(of: base + path) != key, "\(path)") }
        let future = keys.key(of: base + "/a/b/new/deep/f")
        for path in ["/link/new/deep/f", "/a/b/new/./deep//f"] {
            #expect(keys.key(of: base + path) == future, "\(path)")
        }
        try FileManager.default.createDirectory(atPath: base + "/a/b/new/deep", withIntermediateDirectories: true)
        #expect(keys.key(of: base + "/link/new/deep/f") == future)
        // A slash ends a folder even if a combining mark follows.
        #expect(keys.key(of: base + "/a/b/\u{301}f") != keys.key(of: base + "/a/b/\u{301}/\u{301}f"))
        #expect(keys.key(of: base + "/a/b/\u{301}f") == keys.key(of: base + "/link/\u{301}f"))
        #expect(keys.key(of: "f") == keys.key(of: "./f"))
        #expect(keys.key(of: "f") == keys.key(of: FileManager.default.currentDirectoryPath + "/f"))
        #expect(keys.key(of: "never/f") == keys.key(of: "./never/f"))
    }
}
