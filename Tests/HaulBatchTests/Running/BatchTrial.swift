import Foundation
import HaulBatch
import HaulCore
import HaulEngine
import HaulTesting
import Testing

@testable import HaulBatchRun

/// A server with files, a manifest, and an output folder.
struct BatchTrial {
    let folder: TemporaryFolder
    let server: FaultServer
    let engine: DownloadEngine

    var out: String { "\(folder.path)/out" }
    var manifest: String { "\(folder.path)/manifest.jsonl" }

    func job(_ configure: (inout BatchJob) -> Void = { _ in }) -> BatchJob {
        var template = DownloadSpec(url: "", destination: .folder(path: "."))
        template.retries = 0
        var job = BatchJob(manifest: manifest, folder: out, template: template)
        job.perHost = 8
        configure(&job)
        return job
    }

    @discardableResult
    func run(_ configure: (inout BatchJob) -> Void = { _ in }) async throws -> BatchTally {
        try await BatchRun(job(configure), engine) { _ in }.run()
    }

    func check(deep: Bool = true, _ configure: (inout BatchJob) -> Void = { _ in }) async throws -> BatchAccounts {
        try await BatchCheck(job(configure), isDeep: deep).run()
    }

    func write(_ urls: [String]) throws {
        let lines = urls.enumerated().map { #"{"id":"r\#($0)","url":"\#($1)","caption":"c\#($0)"}"# + "\n" }
        try lines.joined().write(toFile: manifest, atomically: true, encoding: .utf8)
    }

    /// The names in the output folder, without locks.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: out)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(out)/\(name)")))
    }

    func write(_ bytes: some Sequence<UInt8>, _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(out)/\(name)"))
    }

    /// The results of all finished parts, in order.
    func results() throws -> [ResultLine] {
        try names.filter { $0.hasSuffix(".results.jsonl") }.flatMap { name in
            try bytes(name).split(separator: 0x0A).map { try #require(ResultLine($0)) }
        }
    }

    /// Gives a finished part the names of an unfinished one.
    func reopen(_ part: String) throws {
        for ending in [".tar", ".results.jsonl"] {
            try FileManager.default.moveItem(
                atPath: "\(out)/\(part)\(ending)", toPath: "\(out)/\(part)\(ending).partial")
        }
    }

    /// All members of all tars, by name.
    func members() throws -> [String: [UInt8]] {
        var members: [String: [UInt8]] = [:]
        for name in names where name.hasSuffix(".tar") {
            for (member, bytes) in try TarWalk.members(of: bytes(name)) {
                #expect(members[member] == nil, "\(member) is there twice")
                members[member] = bytes
            }
        }
        return members
    }
}

extension TarWalk {
    /// Returns the members of a tar, in order.
    static func members(of tar: [UInt8]) throws -> [(name: String, bytes: [UInt8])] {
        var (walk, members): (TarWalk, [(name: String, bytes: [UInt8])]) = (TarWalk(), [])
        while true {
            let start = Int(walk.position)
            switch try walk.read(tar[start..<min(tar.count, start + 512)]) {
            case .end: return members
            case .extend(let offset, let size): try walk.extend(tar[Int(offset)..<Int(offset + size)])
            case .file(let name, let offset, let size):
                members.append((name, Array(tar[Int(offset)..<Int(offset + size)])))
            }
        }
    }
}

extension BatchTrial {
    /// Runs `body` with a server of these files and an engine, which is shut down afterwards.
    static func run(_ resources: [String: Resource], _ body: (BatchTrial) async throws -> Void) async throws {
        try await FaultServer.run(resources) { server in
            let engine = try DownloadEngine()
            do {
                try await body(BatchTrial(folder: try TemporaryFolder(), server: server, engine: engine))
            } catch {
                await engine.shutdown()
                throw error
            }
            await engine.shutdown()
        }
    }

    /// Returns pictures of different sizes, as `/f0`, `/f1` and so on.
    static func files(_ count: Int, size: Int64 = 3000) -> [String: Resource] {
        Dictionary(
            uniqueKeysWithValues: (0..<count).map {
                ("/f\($0)", Resource.file(seed: UInt64($0), size: size + Int64($0)).contentType("image/png"))
            })
    }
}
