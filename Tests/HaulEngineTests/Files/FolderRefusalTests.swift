import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulEngine

/// A folder that becomes a link to elsewhere while the server is asked.
@Suite(.usesSockets)
struct FolderRefusalTests {
    @Test(arguments: [1_000, 3_000_000] as [Int64], [true, false])
    func nothingIsWrittenInAFolderThatChangedBeforeTheResponse(size: Int64, expectsSmall: Bool) async throws {
        let file = Resource.file(seed: 5, size: size)
        try await FaultServer.run(["/f": file]) { server in
            try await EngineHarness.run { harness in
                var options = RunOptions()
                options.expectsSmall = expectsSmall
                options.folderRefusal = { folder in
                    #expect(folder == harness.folder.path)
                    return server.requests("/f").isEmpty ? nil : DownloadError(.invalidRequest, "outside")
                }
                let spec = DownloadSpec(url: server.url("/f"), destination: .folder(path: harness.folder.path))
                #expect(await harness.run(spec, options).code == .invalidRequest)
                #expect(harness.names.isEmpty)
                options.folderRefusal = { _ in nil }
                _ = try await harness.run(spec, options).get()
                #expect(harness.bytes("f") == file.allBytes)
            }
        }
    }

    /// At each call on the files of a run, the folder is moved away and replaced by a link to one outside.
    @Test(arguments: [1_000, 3_000_000] as [Int64], [true, false])
    func nothingIsWrittenOutsideWheneverTheFolderIsReplaced(size: Int64, expectsSmall: Bool) async throws {
        let file = Resource.file(seed: 6, size: size)
        try await FaultServer.run(["/f": file]) { server in
            var (number, isFinished) = (1, false)
            while !isFinished, number < 200 {
                let exchange = FolderExchange(at: number)
                try await EngineHarness.run(system: exchange.system) { harness in
                    try exchange.begin(in: harness.folder)
                    var options = RunOptions()
                    options.expectsSmall = expectsSmall
                    options.folderRefusal = { folder in
                        let isInside = SystemCalls.live.realPath(folder) == exchange.real
                        return isInside ? nil : DownloadError(.invalidRequest, "outside")
                    }
                    let spec = DownloadSpec(url: server.url("/f"), destination: .folder(path: exchange.path))
                    let result = await harness.run(spec, options)
                    #expect(exchange.outside == exchange.planted, "call \(number)")
                    isFinished = !exchange.isDone
                    if isFinished { #expect(try result.get().totalBytes == size) }
                }
                number += 1
            }
            #expect(isFinished)
            #expect(number > 5)
        }
    }

    /// The folder is moved away during the download, and a link in its place leads to it.
    @Test(arguments: [true, false])
    func nothingIsNamedInAFolderThatIsNowOutside(isLinked: Bool) async throws {
        let file = Resource.file(seed: 7, size: 3_000_000)
        try await FaultServer.run(["/f": file], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                let (path, moved) = (harness.path("d"), harness.path("outside"))
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                let real = try #require(SystemCalls.live.realPath(path))
                var options = RunOptions()
                options.folderRefusal = { folder in
                    let now = SystemCalls.live.realPath(folder) ?? real
                    return now == real ? nil : DownloadError(.invalidRequest, "outside")
                }
                let spec = DownloadSpec(url: server.url("/f"), destination: .folder(path: path))
                let isMoved = Atomic(false)
                let result = await harness.run(spec, options) { event in
                    guard case .progress(let progress) = event, progress.fileBytes > 0,
                        !isMoved.exchange(true, ordering: .relaxed)
                    else { return }
                    try? FileManager.default.moveItem(atPath: path, toPath: moved)
                    guard isLinked else { return }
                    try? FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: moved)
                }
                #expect(result.code == (isLinked ? .invalidRequest : .fileFailed))
                let names = try FileManager.default.contentsOfDirectory(atPath: moved)
                #expect(names.sorted() == ["f.part", "f.part.haul"])
            }
        }
    }
}

/// Replaces a folder by a link to another one, just before a system call.
private final class FolderExchange: Sendable {
    private let number: Int
    private let state = Mutex<(calls: Int, folder: TemporaryFolder?, isDone: Bool)>((0, nil, false))
    let planted: [String: [UInt8]] = ["f": [1], "f.part.haul.new": [2], "f.part.haul": [3]]

    init(at number: Int) { self.number = number }

    var folder: TemporaryFolder { state.withLock { $0.folder! } }
    var path: String { folder.path("d") }
    var real: String { SystemCalls.live.realPath(folder.path)! + "/d" }
    var isDone: Bool { state.withLock { $0.isDone } }

    var system: SystemCalls {
        SystemCalls(hook: { call in
            if call.path.contains("/d") { self.call() }
            return .proceed
        })
    }

    var outside: [String: [UInt8]] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("outside"))) ?? []
        return Dictionary(uniqueKeysWithValues: names.map { ($0, folder.bytes("outside/" + $0) ?? []) })
    }

    func begin(in folder: TemporaryFolder) throws {
        for name in ["d", "outside"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        for (name, bytes) in planted { try folder.put(bytes, "outside/" + name) }
        state.withLock { $0.folder = folder }
    }

    private func call() {
        let isNow = state.withLock { state in
            guard state.folder != nil else { return false }
            state.calls += 1
            if state.calls == number { state.isDone = true }
            return state.calls == number
        }
        guard isNow else { return }
        try? FileManager.default.moveItem(atPath: path, toPath: folder.path("moved"))
        try? FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path("outside"))
    }
}
