import Foundation
import HaulCore
import HaulServer
import HaulTesting
import HaulWire
import Testing

@Suite("The roots")
struct FolderRootsTests {
    private let folder: TemporaryFolder
    private let root: String
    private let roots: FolderRoots

    init() throws {
        folder = try TemporaryFolder()
        let base = URL(filePath: folder.path).resolvingSymlinksInPath().path
        root = base + "/root"
        for path in ["root", "root/sub", "rootless", "second"] {
            try FileManager.default.createDirectory(atPath: "\(base)/\(path)", withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: root + "/out", withDestinationPath: base + "/rootless")
        try FileManager.default.createSymbolicLink(atPath: root + "/in", withDestinationPath: root + "/sub")
        try Data().write(to: URL(filePath: root + "/file"))
        roots = try FolderRoots([root, base + "/second"])
    }

    private func destination(_ folder: String?, _ name: String? = nil, hashed: Bool? = nil) -> Result<
        Destination, DownloadError
    > {
        var request = DownloadRequest(url: "http://h/a")
        (request.folder, request.name, request.hashedName) = (folder, name, hashed)
        return Result { () throws(DownloadError) in try roots.destination(of: request) }
    }

    @Test("The folders of the daemon's own files are no place for downloads, unless a root is inside them")
    func own() throws {
        let roots = try FolderRoots([root], without: [root + "/sub", root + "/new/haul"])
        for folder in ["sub", "in", "sub/deeper", "new/haul"] {
            let error = #expect(throws: DownloadError.self) { try roots.folder(folder) }
            #expect(error?.code == .invalidRequest && error?.message.contains("own files") == true)
            #expect(!roots.admits("\(root)/\(folder)"))
        }
        #expect(try roots.folder("new") == root + "/new" && roots.admits(root + "/subway"))
        let inside = try FolderRoots([root + "/sub"], without: [root])
        #expect(try inside.folder(nil) == root + "/sub" && inside.admits(root + "/sub/a"))
    }

    @Test("What lies in a root is taken, links inside followed")
    func inside() throws {
        #expect(try destination(nil).get() == .folder(path: root))
        #expect(try destination("").get() == .folder(path: root))
        #expect(try destination("sub").get() == .folder(path: root + "/sub"))
        #expect(try destination("in", "a").get() == .file(path: root + "/sub/a"))
        #expect(try destination(root + "/sub/../sub/.").get() == .folder(path: root + "/sub"))
        #expect(try destination(root + "/../second", "a").get() == .file(path: roots.paths[1] + "/a"))
        #expect(try destination("sub", nil, hashed: true).get() == .hashed(folder: root + "/sub"))
    }

    @Test("What is stored is admitted by where it lies now, also if its folder does not exist yet")
    func admits() {
        let base = roots.paths[1].dropLast("/second".count)
        for inside in [root, root + "/sub", root + "/in", root + "/new/newer", root + "/file", roots.paths[1]] {
            #expect(roots.admits(inside), "\(inside)")
        }
        for outside in [
            "", "relative", "/", "/etc", root + "/out", root + "/out/new", root + "/new/../../rootless", "\(base)",
            "\(base)/rootless", "\(base)/missing",
        ] { #expect(!roots.admits(outside), "\(outside)") }
    }

    @Test(
        "Nothing leads out of them",
        arguments: [
            "..", "../rootless", "/", "/etc", "/tmp", "sub/../..", "out", "out/.", "out/new", "new/../..", "a\0b",
            "/proc/self/root", "../root/../rootless", "//etc", "new/../../rootless/x",
            // A slash that is one character with the mark behind it.
            "new/../\u{301}../../\u{301}x", "../\u{301}x",
        ])
    func outside(folder: String) {
        #expect(throws: DownloadError.self) { try destination(folder).get() }
        #expect(throws: DownloadError.self) { try destination(folder, "a").get() }
        #expect(throws: DownloadError.self) { try destination(folder, nil, hashed: true).get() }
    }

    @Test("A name like that of a root is another folder")
    func neighbour() {
        #expect(!roots.contains(root + "less"))
        let accented = root + "\u{E9}"
        #expect((try? FolderRoots([root]))?.contains(accented) == false)
        #expect(roots.contains(root) && roots.contains(root + "/x") && !roots.contains("/"))
    }

    @Test("What is outside is answered alike whether it exists or not, with the roots")
    func silence() throws {
        let texts = ["/etc", "/nosuch"].map { folder in
            var text = ""
            if case .failure(let error) = destination(folder) { text = error.message }
            #expect(text.hasPrefix("\(folder) is outside the daemon's roots (\(root), \(roots.paths[1]))"), "\(text)")
            #expect(text.hasSuffix(" (haul daemon restart --root \(root) --root \(roots.paths[1]) --root \(folder))"))
            return text.replacing(folder, with: "F")
        }
        #expect(texts[0] == texts[1])
    }

    @Test func aLinkThatLeadsOutIsNamedAsSuch() {
        let error = #expect(throws: DownloadError.self) { try destination(root + "/out/new").get() }
        #expect(error?.message.hasPrefix("\(root)/out/new leads out of the daemon's roots") == true)
    }

    @Test("A folder that does not exist lies where its parent lies; a root that does not exist is not created")
    func missing() throws {
        #expect(try destination("new/er").get() == .folder(path: root + "/new/er"))
        #expect(try destination("./new/./er", "a").get() == .file(path: root + "/new/er/a"))
        #expect(try destination(root + "/in/new").get() == .folder(path: root + "/sub/new"))
        try FileManager.default.removeItem(atPath: roots.paths[1])
        let error = #expect(throws: DownloadError.self) { try destination(roots.paths[1] + "/x").get() }
        #expect(error?.code == .fileFailed && error?.message.contains("\(roots.paths[1]) does not exist") == true)
    }

    @Test("A name is one component, and made safe", arguments: ["", ".", "..", "a/b", "/a", "../a", "a/"])
    func names(name: String) {
        #expect(throws: DownloadError.self) { try destination(nil, name).get() }
    }

    @Test("A name with controls and bidi marks becomes a safe one")
    func safeNames() throws {
        #expect(try destination(nil, ".-a\n\u{202E}b ").get() == .file(path: root + "/ab"))
    }

    @Test("The usual folder is made where nobody has named another one")
    func standard() throws {
        let missing = root + "/Downloads"
        #expect(throws: DownloadError.self) { try FolderRoots([missing], making: root + "/other") }
        #expect(try FolderRoots([missing], making: missing).paths == [missing])
        #expect(try FolderRoots([missing], making: missing).paths == [missing])
        #expect(throws: DownloadError.self) { try FolderRoots([root + "/file"], making: root + "/file") }
        #expect(throws: DownloadError.self) { try FolderRoots([root + "/no/where"], making: root + "/no/where") }
    }

    @Test(
        "A root has to be an absolute path of a folder",
        arguments: [[], ["relative"], ["/no/such/folder"], ["/dev/null"]])
    func badRoots(paths: [String]) {
        #expect(throws: DownloadError.self) { try FolderRoots(paths) }
    }
}
