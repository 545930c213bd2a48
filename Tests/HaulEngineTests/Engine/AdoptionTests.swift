import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Going on with other programs' unfinished files", .usesSockets)
struct AdoptionTests {
    static let size: Int64 = 12 << 20
    static let file = Resource.file(seed: 61, size: size)
    static let mebi = 1 << 20

    static func spec(_ harness: EngineHarness, _ server: FaultServer, connections: Int = 2) -> DownloadSpec {
        var spec = harness.spec(server.url("/f"), connections: connections)
        spec.adoptsPartials = true
        return spec
    }

    /// Runs with what is left, and expects that nothing of it was touched.
    static func isUntouched(
        _ left: Left, at resource: Resource = file, system: SystemCalls = .live,
        change: (inout [UInt8]) -> Void = { _ in },
        prepare: (EngineHarness) throws -> Void = { _ in }, spec: (inout DownloadSpec) -> Void = { _ in },
        because reason: String
    ) async throws {
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run(system: system) { harness in
                try left.put(harness.folder, change)
                try prepare(harness)
                let before = harness.names.map { [$0: harness.bytes($0)] }
                var asked = Self.spec(harness, server)
                spec(&asked)
                guard case .failure(let error) = await harness.run(asked) else {
                    Issue.record("it was adopted")
                    return
                }
                #expect(error.code == .destinationExists, "\(error)")
                #expect(error.description.contains(reason), "\(error)")
                #expect(error.message.contains(harness.path(left.name)))
                #expect(harness.names.map { [$0: harness.bytes($0)] } == before)
            }
        }
    }

    @Test(
        "what is there counts, what is missing is fetched, and nothing is left behind", arguments: Left.allCases,
        [1, 4])
    func adopted(left: Left, connections: Int) async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                try left.put(harness.folder)
                _ = try await harness.run(Self.spec(harness, server, connections: connections)).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
                #expect(harness.names == ["f"])
                #expect(harness.resumedBytes == [left.bytesThere])
                let ranges = try await server.settled().requests("/f").compactMap(\.responded)
                let again = left.pieces.reduce(Int64(0)) { sum, piece in
                    let there = Int64(piece.lowerBound)..<Int64(piece.upperBound)
                    return sum + ranges.reduce(0) { $0 + Int64($1.clamped(to: there).count) }
                }
                // Samples of each stretch, the overlaps at its end, and what the first answer had brought by then.
                #expect(ranges.contains { $0.count == 65_536 })
                #expect(again < Self.size)
            }
        }
    }

    @Test("the server names the file", arguments: Left.allCases)
    func named(left: Left) async throws {
        let named = Self.file.contentDisposition("attachment; filename=f")
        try await FaultServer.run(["/get": named]) { server in
            try await EngineHarness.run { harness in
                try left.put(harness.folder)
                var spec = DownloadSpec(url: server.url("/get"), destination: .folder(path: harness.folder.path))
                spec.adoptsPartials = true
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
                #expect(harness.resumedBytes == [left.bytesThere])
            }
        }
    }

    @Test(
        "only files with a control file, if asked for those alone: another file is one that exists",
        arguments: Left.allCases)
    func controlledOnly(left: Left) async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                try left.put(harness.folder)
                let before = harness.names.map { harness.bytes($0) }
                var spec = harness.spec(server.url("/f"), connections: 2)
                (spec.tuning.adoptsControlled, spec.onConflict) = (true, .rename)
                let facts = try await harness.run(spec).get()
                if left.control != nil {
                    #expect(harness.resumedBytes == [left.bytesThere] && harness.names == ["f"])
                } else {
                    #expect(harness.resumedBytes == [0])
                    for bytes in before { #expect(harness.names.map { harness.bytes($0) }.contains(bytes)) }
                }
                #expect(try Array(Data(contentsOf: URL(filePath: facts.path))) == Self.file.allBytes)
            }
        }
    }

    @Test("a file named like a control file that is none is the user's, and stays", arguments: [".aria2", ".st"])
    func noControl(ending: String) async throws {
        try await FaultServer.run(["/f": Self.file], throttle: 2_000_000) { server in
            try await EngineHarness.run { harness in
                try await harness.interrupt(Self.spec(harness, server), after: 1_000_000, server)
                let notes = Array("my notes".utf8) + [0, 1]
                try harness.folder.put(notes, "f" + ending)
                server.throttle(nil)
                _ = try await harness.run(Self.spec(harness, server)).get()
                #expect(harness.bytes("f") == Self.file.allBytes && harness.bytes("f" + ending) == notes)
            }
        }
    }

    @Test("without a control file, a file of the same size and a later date is another file that exists")
    func laterDate() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put([UInt8](repeating: 7, count: Int(Self.size)), "f")
                var spec = harness.spec(server.url("/f"))
                (spec.tuning.adoptsControlled, spec.tuning.ignoresServerDate, spec.onConflict) = (true, true, .fail)
                guard case .failure(let error) = await harness.run(spec) else { return #expect(Bool(false)) }
                #expect(error.code == .destinationExists)
            }
        }
    }

    @Test(
        "a byte that is another one, at either end of any stretch or where a sample is: untouched",
        arguments: Left.allCases)
    func otherBytes(left: Left) async throws {
        for piece in left.pieces {
            for offset in [
                piece.lowerBound, piece.lowerBound + 65_535, piece.upperBound - 65_536, piece.upperBound - 1,
            ]
            where piece.contains(offset) {
                try await Self.isUntouched(left, change: { $0[offset] ^= 1 }, because: "its data is different")
            }
        }
    }

    @Test("a stretch of zeros in the middle, as a power cut leaves: untouched")
    func zeros() async throws {
        try await Self.isUntouched(
            .prefix, change: { $0.replaceSubrange(500_000..<4_500_000, with: repeatElement(0, count: 4_000_000)) },
            because: "its data is different")
    }

    @Test("another user's file in a folder such as /tmp: untouched", arguments: Left.allCases)
    func stranger(left: Left) async throws {
        for name in [left.name, left.control].compactMap(\.self) {
            let system = SystemCalls.sharedFolder(strangers: ["/" + name])
            try await Self.isUntouched(left, system: system, because: "it belongs to another user")
        }
    }

    @Test("a file with a part that nobody has written: untouched")
    func sparse() async throws {
        try await Self.isUntouched(
            .prefix,
            prepare: { harness in
                harness.remove("f")
                try harness.folder.put(Array(Self.file.bytes(0..<100_000)), "f")
                let handle = try #require(FileHandle(forWritingAtPath: harness.path("f")))
                try handle.truncate(atOffset: 4 << 20)
                try handle.seek(toOffset: (4 << 20) - 65_536)
                try handle.write(contentsOf: Data(Self.file.bytes((4 << 20) - 65_536..<4 << 20)))
                try handle.close()
            }, because: "left unchanged")
    }

    @Test("what the server says makes it another file: untouched", arguments: Left.allCases)
    func otherFile(left: Left) async throws {
        let longer = Resource.file(seed: 61, size: Self.size + 1)
        if left.control != nil {
            try await Self.isUntouched(left, at: longer, because: "is part of a file of \(Self.size) bytes")
        }
        let shorter = Resource.file(seed: 61, size: 4_000_000)
        try await Self.isUntouched(left, at: shorter, because: "the file on the server has only 4000000")
        try await Self.isUntouched(left, at: Self.file.withoutRanges(), because: "does not support range requests")
        try await Self.isUntouched(
            left, at: Self.file.script { _ in .withoutLength() }, because: "does not send the size")
        try await Self.isUntouched(
            left,
            prepare: { harness in
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)],
                    ofItemAtPath: harness.path(left.name))
            }, because: "is newer")
    }

    @Test("a file as long as the server's is a file like any other, whatever is in it")
    func complete() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put([UInt8](repeating: 0, count: Int(Self.size)), "f")
                var spec = Self.spec(harness, server)
                #expect(await harness.run(spec).code == .destinationExists)
                #expect(harness.bytes("f")?.allSatisfy { $0 == 0 } == true && harness.names == ["f"])
                spec.onConflict = .skip
                let facts = try await harness.run(spec).get()
                #expect(facts.kept && facts.verification == .nothing)
                spec.onConflict = .keep
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
            }
        }
    }

    @Test("a file that turns out to be complete: success, unless date or bytes contradict, or a checksum does")
    func isComplete() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            // Of the server's date, as wget leaves it; newer, as curl does; older.
            let dates: [(Double, Bool)] = [(1_735_732_800, true), (1_735_732_801, true), (1_735_732_799, false)]
            for (date, isKept) in dates {
                try await EngineHarness.run { harness in
                    try harness.folder.put(Self.file.allBytes, "f")
                    try FileManager.default.setAttributes(
                        [.modificationDate: Date(timeIntervalSince1970: date)], ofItemAtPath: harness.path("f"))
                    let result = await harness.run(Self.spec(harness, server))
                    if isKept {
                        // The file is the user's, also if it was compared: removing the download leaves it.
                        #expect(try result.get().kept)
                    } else {
                        #expect(result.code == .destinationExists)
                    }
                    #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
                }
            }
            for isRight in [true, false] {
                try await EngineHarness.run { harness in
                    var bytes = Self.file.allBytes
                    if !isRight { bytes[100_000] ^= 1 }
                    try harness.folder.put(bytes, "f")
                    var spec = Self.spec(harness, server)
                    spec.checksum = try Digests.sha256(Self.file.allBytes)
                    let result = await harness.run(spec)
                    if isRight { #expect(try result.get().kept) } else { #expect(result.code == .destinationExists) }
                    #expect(harness.bytes("f") == bytes && harness.names == ["f"])
                }
            }
        }
    }

    @Test("a checksum decides at the end: a byte that no comparison meets never gets the final name")
    func checksum() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            for isRight in [true, false] {
                try await EngineHarness.run { harness in
                    try Left.prefix.put(harness.folder) { if !isRight { $0[100_000] ^= 1 } }
                    var spec = Self.spec(harness, server)
                    spec.checksum = try Digests.sha256(Self.file.allBytes)
                    let result = await harness.run(spec)
                    #expect(harness.resumedBytes == [5_000_000])
                    if isRight {
                        #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
                    } else {
                        #expect(result.code == .checksumMismatch && harness.bytes("f") == nil)
                    }
                }
            }
        }
    }

    @Test("a wrong checksum: the other program's bytes are kept, and the right one finishes", arguments: Left.allCases)
    func wrongChecksum(left: Left) async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                try left.put(harness.folder)
                var spec = Self.spec(harness, server)
                spec.checksum = try Digests.sha256([1])
                guard case .failure(let error) = await harness.run(spec) else {
                    Issue.record("it has the wrong checksum")
                    return
                }
                #expect(error.code == .checksumMismatch && error.message.contains("is kept"), "\(error)")
                #expect(harness.bytes("f.part") == Self.file.allBytes)
                spec.checksum = try Digests.sha256(Self.file.allBytes)
                let before = server.log.requests("/f").count
                #expect(try await harness.run(spec).get().sessionBytes == 0)
                #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
                #expect(server.log.requests("/f").count == before)
            }
        }
    }

    @Test(
        "stopped on the way: the next run goes on with Haul's own partial, asked to adopt or not",
        arguments: [true, false])
    func stopped(adopts: Bool) async throws {
        for left in Left.allCases {
            try await FaultServer.run(["/f": Self.file], throttle: 2_000_000) { server in
                try await EngineHarness.run { harness in
                    try left.put(harness.folder)
                    try await harness.interrupt(Self.spec(harness, server), after: left.bytesThere + 1_000_000, server)
                    if left != .part { #expect(harness.names == ["f.part", "f.part.haul"], "\(left)") }
                    server.throttle(nil)
                    if left == .part { harness.remove("f") }
                    var spec = Self.spec(harness, server)
                    spec.adoptsPartials = adopts
                    _ = try await harness.run(spec).get()
                    #expect(harness.resumedBytes.last ?? 0 >= left.bytesThere + 1_000_000)
                    #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
                }
            }
        }
    }

    @Test(
        "skip: a file with a control file beside it is not complete, and the server is not asked",
        arguments: Left.allCases)
    func skip(left: Left) async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                guard let control = left.control else { return }
                try left.put(harness.folder)
                for policy in [ConflictPolicy.skip, .fail] {
                    var spec = harness.spec(server.url("/f"))
                    spec.onConflict = policy
                    guard case .failure(let error) = await harness.run(spec) else {
                        Issue.record("it was called complete")
                        return
                    }
                    #expect(error.isOfUnfinished && error.description.contains(harness.path(control)))
                }
                #expect(server.requests("/f").isEmpty)
                #expect(harness.bytes("f") == left.bytes && harness.bytes(control) == left.controlBytes)
                harness.remove(control)
                // A program for Smalltalk is no control file.
                try harness.folder.put(Array("Object subclass: #F\n".utf8), "f.st")
                var spec = harness.spec(server.url("/f"))
                spec.onConflict = .skip
                #expect(try await harness.run(spec).get().kept)
            }
        }
    }

    @Test("skip and adopt: what is shorter is continued")
    func skipAndAdopt() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            for left in Left.allCases {
                try await EngineHarness.run { harness in
                    try left.put(harness.folder)
                    var spec = Self.spec(harness, server)
                    spec.onConflict = .skip
                    _ = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"], "\(left)")
                }
            }
        }
    }

    @Test("keep: a date that is right says nothing of a file with a control file beside it")
    func keep() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                try Left.aria2.put(harness.folder)
                let date = Date(timeIntervalSince1970: 1_735_732_800)
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: harness.path("f"))
                var spec = harness.spec(server.url("/f"))
                spec.onConflict = .keep
                #expect(try await harness.run(spec).get().kept == false)
                #expect(harness.bytes("f") == Self.file.allBytes)
            }
        }
    }

    @Test("a small file, without a journal otherwise")
    func small() async throws {
        let small = Resource.file(seed: 62, size: 100_000)
        try await FaultServer.run(["/f": small]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put(small.bytes(0..<50_000), "f")
                _ = try await harness.run(Self.spec(harness, server)).get()
                #expect(
                    harness.bytes("f") == small.allBytes && harness.names == ["f"] && harness.resumedBytes == [50_000])
            }
        }
    }

    @Test("nothing to adopt: a download like any other; and a folder of a browser's name is none")
    func nothing() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                try FileManager.default.createDirectory(
                    atPath: harness.path("f.download"), withIntermediateDirectories: true)
                _ = try await harness.run(Self.spec(harness, server)).get()
                #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f", "f.download"])
            }
        }
    }

    @Test("a partial of Haul's own comes first: what has the final name is then in its way")
    func ownFirst() async throws {
        try await FaultServer.run(["/f": Self.file], throttle: 12_000_000) { server in
            try await EngineHarness.run { harness in
                try await harness.interrupt(harness.spec(server.url("/f")), after: 2_000_000, server)
                server.throttle(nil)
                try Left.prefix.put(harness.folder)
                let before = ["f", "f.part", "f.part.haul"].map(harness.bytes)
                #expect(await harness.run(Self.spec(harness, server)).code == .destinationExists)
                #expect(["f", "f.part", "f.part.haul"].map(harness.bytes) == before)
            }
        }
    }
}
