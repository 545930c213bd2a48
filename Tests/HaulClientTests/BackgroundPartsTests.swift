import Foundation
import Haul
import HaulCore
import HaulProcesses
import HaulTesting
import HaulWire
import Testing

@testable import HaulClient

@Suite("Parts of background managers")
struct BackgroundPartsTests {
    @Test(arguments: ["org.example.app", "a", "A-b_c.9", String(repeating: "x", count: 100)])
    func goodIdentifiers(_ text: String) throws { #expect(try Ownership(text).tag == "app:" + text) }

    @Test(arguments: ["", ".", "..", ".hidden", "a/b", "a:b", "a b", "ä", "a\n", String(repeating: "x", count: 101)])
    func badIdentifiers(_ text: String) { #expect(throws: DownloadError.self) { try Ownership(text) } }

    @Test(
        "what is marked for the daemon is unmarked for the program",
        arguments: [nil, "own", "", "app:x:own", "http://h/a"])
    func marks(key: String?) throws {
        let ownership = try Ownership("x")
        var spec = DownloadSpec(url: "http://h/a", destination: .file(path: "/f/a"))
        (spec.key, spec.tags) = (key, ["t"])
        let marked = ownership.marked(spec)
        #expect(marked.tags == ["t", "app:x"])
        #expect(marked.key == "app:x:" + (key ?? spec.canonicalKey))
        let now = Date()
        let reported = DownloadSnapshot(
            id: DownloadID(rawValue: 1), key: marked.key ?? "", spec: marked, state: .running, path: nil,
            progress: TransferProgress(fileBytes: 0), added: now, changed: now)
        #expect(ownership.owns(reported))
        #expect(try !Ownership("y").owns(reported))
        let own = ownership.unmarked(reported)
        #expect(own.key == key ?? spec.canonicalKey)
        #expect(own.spec == spec)
    }

    @Test("a body is sent with its bytes")
    func body() throws {
        var spec = DownloadSpec(url: "http://h/a", destination: .file(path: "/f/a"))
        spec.body = DownloadSpec.RequestBody("x=1", mediaType: "text/x-query")
        let sent = try WireJSON.encode(try DownloadRequest(sending: spec))
        let received = try WireJSON.decode(DownloadRequest.self, from: sent)
        #expect(try received.spec(to: spec.destination).source.body == spec.body)
    }

    @Test("paths are sent absolute, secrets with them")
    func sending() throws {
        func folder(_ destination: Destination) throws -> String? {
            try DownloadRequest(sending: DownloadSpec(url: "http://h/a", destination: destination), folder: "/here")
                .folder
        }
        #expect(try folder(.folder(path: "/x")) == "/x")
        #expect(try folder(.folder(path: "x")) == "/here/x")
        #expect(try folder(.folder(path: ".")) == "/here")
        #expect(try folder(.file(path: "./x/a")) == "/here/x")
        #expect(try folder(.file(path: "a")) == "/here")
        #expect(try folder(.hashed(folder: "x")) == "/here/x")
        let folder = try TemporaryFolder()
        try folder.put(Array("hunter2\nmore".utf8), "p")
        var spec = DownloadSpec(url: "http://h/a", destination: .folder(path: "/x"))
        (spec.user, spec.password, spec.bearerToken) = ("me", .file(path: folder.path("p")), .text("token"))
        let request = try DownloadRequest(sending: spec)
        #expect(request.password == "hunter2" && request.bearerToken == "token" && request.user == "me")
        spec.password = .file(path: folder.path("none"))
        #expect(throws: DownloadError.self) { try DownloadRequest(sending: spec) }
    }

    @Test("what the daemon would have to read is refused")
    func refused() {
        let paths: [WritableKeyPath<DownloadSpec, String?>] = [
            \.partialFolder, \.netrcPath, \.cookiePath, \.clientCertificatePath, \.clientKeyPath,
        ]
        for path in paths {
            var spec = DownloadSpec(url: "http://h/a", destination: .folder(path: "/x"))
            spec[keyPath: path] = "/f"
            #expect(throws: DownloadError.self) { try DownloadRequest(sending: spec) }
        }
    }

    @Test(
        "a position is kept, and what is none counts as none",
        arguments: ["", "x", "-3", "12x", "99999999999999999999"])
    func positions(_ text: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("clients/one")
        var position = try SeenPosition(path: path)
        #expect(position.number == nil)
        try position.keep(41)
        try position.keep(42)
        #expect(try SeenPosition(path: path).number == 42)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("clients")) == ["one"])
        try folder.put(Array(text.utf8), "other")
        #expect(try SeenPosition(path: folder.path("other")).number == (text == "12x" ? 12 : nil))
    }

    @Test("a position that can't be read is not taken for a missing one")
    func unreadablePosition() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: DownloadError.self) { try SeenPosition(path: folder.path) }
        #expect(error?.code == .fileFailed)
    }

    @Test("the socket stands where the daemon puts it")
    func places() {
        func path(_ environment: [String: String]) -> DaemonEndpoint? {
            DaemonEndpoint.standard(environment: environment)
        }
        #expect(path(["HOME": "/h", "XDG_RUNTIME_DIR": "/r"]) == .unix(path: "/r/haul/daemon.sock"))
        #expect(path(["HOME": "/h"]) == .unix(path: "/h/.local/state/haul/run/daemon.sock"))
        #expect(path(["HOME": "/h", "XDG_STATE_HOME": "/s"]) == .unix(path: "/s/haul/run/daemon.sock"))
        #expect(path(["HOME": "/h", "XDG_RUNTIME_DIR": "r"]) == .unix(path: "/h/.local/state/haul/run/daemon.sock"))
        #expect(path(["XDG_RUNTIME_DIR": "/r", "HAUL_STATE_FOLDER": "/s"]) == .unix(path: "/s/run/daemon.sock"))
        #expect(path(["XDG_RUNTIME_DIR": "/r", "HAUL_SOCKET": "/x"]) == .unix(path: "/x"))
        #expect(path([:]) == nil)
    }

    @Test("where no daemon can be started, it is said why, in the words of the command that tried")
    func launcherFails() {
        func message(_ words: String) -> String {
            DaemonLauncher.failure(.init(outcome: .exited(code: 2), bytes: Array(words.utf8)), of: "/p/haul").message
        }
        let start = "no daemon is running, and /p/haul could not start one: "
        #expect(message("haul: note\nhaul: /d is no folder\n") == start + "/d is no folder")
        #expect(message("dyld: no library\r\n") == start + "dyld: no library")
        #expect(message("") == start + "run \"haul daemon start\" to see why")
    }

    @Test("the program that starts a daemon: named, or in PATH, never in the current folder")
    func launcher() {
        func find(_ environment: [String: String], _ program: String? = nil) -> String? {
            DaemonLauncher(environment: environment, program: program).find { ["/p/haul", "/q/haul"].contains($0) }
        }
        #expect(find(["PATH": "/n:/p:/q"]) == "/p/haul")
        #expect(find(["PATH": ".:n"]) == nil)
        #expect(find(["PATH": "/p", "HAUL_PATH": "/q/haul"]) == "/q/haul")
        #expect(find(["PATH": "/p", "HAUL_PATH": "haul"]) == nil)
        #expect(find(["PATH": "/p"], "/q/haul") == "/q/haul")
        #expect(find(["PATH": "/p"], "/n/haul") == nil)
    }
}
