import Foundation
import Haul
import HaulCore
import HaulFoundation
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulLocal
@testable import HaulManager

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Foundation's Progress", .usesSockets, .timeLimit(.minutes(5)))
struct ProgressTests {
    private static let file = Resource.file(seed: 73, size: 300_000)
    private static let stalls = file.script { $0.number == 1 ? .stall(after: 200_000) : .normal }

    /// Waits until a condition on a progress holds: it follows the events a moment later, and tells nobody on Linux.
    private func until(_ passes: () -> Bool) async throws {
        while !passes() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("of a download has its bytes, and is finished with it")
    func one() async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { trial in
            let manager = try trial.manager
            let download = try await manager.add(trial.spec("/a") { $0.idleTimeout = .seconds(600) })
            let progress = download.makeProgress()
            try await until { progress.completedUnitCount == 200_000 }
            #expect(progress.totalUnitCount == 300_000 && !progress.isFinished && progress.kind == .file)
            progress.pause()
            try await download.until { $0 == .paused(.asked) }
            try await until { progress.userInfo[.throughputKey] as? Int == 0 }
            progress.resume()
            _ = try await download.finished()
            try await until { progress.isFinished }
            #expect(progress.fractionCompleted == 1 && progress.completedUnitCount == 300_000)
        }
    }

    @Test("of a download cancels it, which keeps the partial file")
    func cancel() async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { trial in
            let download = try await trial.manager.add(trial.spec("/a") { $0.idleTimeout = .seconds(600) })
            try await download.until(bytes: 200_000)
            let progress = download.makeProgress()
            progress.cancel()
            try await download.until { $0 == .cancelled(keptPartial: true) }
            #expect(progress.isCancelled && trial.names == ["a.part", "a.part.haul"])
        }
    }

    @Test("of a group counts each download equally, also those that come and go")
    func group() async throws {
        let files = ["/a": Self.stalls, "/b": Self.file, "/c": Self.file, "/d": Self.file]
        try await ManagerTrial.run(files, { $0.settings.limit = 1 }) { trial in
            let manager = try trial.manager
            func spec(_ path: String) -> DownloadSpec {
                var spec = trial.spec(path)
                spec.group = path == "/d" ? nil : "g"
                return spec
            }
            let all = try await trial.add(["/a", "/b", "/d"].map(spec))
            try await all[0].until(bytes: 200_000)
            let progress = manager.makeProgress(.group("g"))
            try await until { progress.totalUnitCount == 2000 && progress.completedUnitCount == 666 }
            let c = try await manager.add(spec("/c"))
            try await until { progress.totalUnitCount == 3000 }
            try await c.remove()
            try await until { progress.totalUnitCount == 2000 }
            progress.pause()
            try await all[1].until { $0 == .paused(.asked) }
            #expect(try await all[2].state != .paused(.asked))
            progress.resume()
            for download in all { _ = try await download.finished() }
            try await until { progress.isFinished }
            #expect(progress.completedUnitCount == 2000)
            try await manager.remove(.all)
            try await until { progress.totalUnitCount == -1 && progress.completedUnitCount == 0 }
            #expect(!progress.isFinished)
        }
    }

    @Test("of a download whose file has become empty is finished with it, too")
    func empty() async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { trial in
            let download = try await trial.manager.add(trial.spec("/a") { $0.idleTimeout = .seconds(600) })
            let progress = download.makeProgress()
            try await until { progress.completedUnitCount == 200_000 }
            try await download.cancel(keepPartial: false)
            trial.server.set("/a", .file(seed: 1, size: 0))
            try await download.retry()
            _ = try await download.finished()
            try await until { progress.isFinished }
            #expect(progress.totalUnitCount == 1)
        }
    }

    @Test("does not keep anything: its task ends with it")
    func released() async throws {
        try await ManagerTrial.run([:], { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            let download = try await manager.add(trial.spec("/a") { $0.idleTimeout = .seconds(600) })
            weak var gone: Progress?
            do {
                let progress = download.makeProgress()
                gone = progress
                try await until { manager.hub.waiterCount == 1 }
                #expect(progress.totalUnitCount == -1)
            }
            #expect(gone == nil)
            try await until { manager.hub.waiterCount == 0 }
        }
    }
}

@Suite("A URL request as a source") struct URLRequestTests {
    @Test("gives its URL, headers and timeout")
    func get() throws {
        var request = URLRequest(url: try #require(URL(string: "https://example.org/a b")))
        request.setValue("x", forHTTPHeaderField: "X-Key")
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        let spec = try DownloadSpec(request, destination: .folder(path: "/d"))
        #expect(spec.url == "https://example.org/a%20b" && spec.destination == .folder(path: "/d"))
        #expect(spec.headers.map(\.name) == ["Accept", "X-Key"] && spec.headers.map(\.value) == ["text/plain", "x"])
        #expect(spec.idleTimeout == DownloadSpec(url: "", destination: .file(path: "")).idleTimeout)
        request.timeoutInterval = 1.5
        #expect(try DownloadSpec(request, destination: .folder(path: "/d")).idleTimeout == .milliseconds(1500))
    }

    @Test("gives its method and body", arguments: ["POST", "PUT"])
    func body(method: String) throws {
        var request = URLRequest(url: try #require(URL(string: "https://example.org/")))
        request.httpMethod = method
        request.httpBody = Data([1, 2])
        request.setValue("a/b", forHTTPHeaderField: "Content-Type")
        request.setValue("2", forHTTPHeaderField: "Content-Length")
        let spec = try DownloadSpec(request, destination: .folder(path: "/d"))
        #expect(spec.method == method && spec.body == DownloadSpec.RequestBody([1, 2]))
        #expect(spec.headers.map(\.name) == ["Content-Type"])
        _ = try MachineConfiguration(spec)
    }

    @Test("is refused with a method or body that can't be sent")
    func refused() throws {
        let url = try #require(URL(string: "https://example.org/"))
        var (head, get, stream) = (URLRequest(url: url), URLRequest(url: url), URLRequest(url: url))
        head.httpMethod = "HEAD"
        get.httpBody = Data([1])
        stream.httpMethod = "POST"
        stream.httpBodyStream = InputStream(data: Data([1]))
        for request in [head, get, stream] {
            let error = #expect(throws: DownloadError.self) {
                try DownloadSpec(request, destination: .folder(path: "/"))
            }
            #expect(error?.code == .invalidRequest)
        }
    }
}
