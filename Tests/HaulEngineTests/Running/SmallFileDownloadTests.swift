import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulEngine

/// What is over with one answer, and what is not: the outcome is the same as that of a run, and nothing is asked twice.
@Suite("Small files that come whole", .usesSockets)
struct SmallFileDownloadTests {
    static let small = Resource.file(seed: 71, size: 10_240)
    static let large = Resource.file(seed: 72, size: 1_500_000)
    static let old: [UInt8] = Array("what stood there before".utf8)

    /// Options of one of many downloads.
    static var options: RunOptions {
        var options = RunOptions()
        options.expectsSmall = true
        return options
    }

    @Test("costs so many system calls and not one more: no partial, no lock, no journal")
    func calls() async throws {
        try await FaultServer.run(["/f": Self.small]) { server in
            let faults = SystemCallFaults(number: .max, .proceed)
            try await EngineHarness.run(system: faults.system()) { harness in
                let facts = try await harness.run(harness.spec(server.url("/f")), Self.options).get()
                #expect(harness.bytes("f") == Self.small.allBytes)
                #expect(facts.verification == .size && facts.sessionBytes == 10_240)
            }
            let kinds = faults.calls.map(\.kind)
            #expect(kinds.count { $0 == .open } == 1 && kinds.count { $0 == .link } == 1)
            #expect(kinds.count { $0 == .pwrite } == 1 && kinds.count { $0 == .status } == 4)
            #expect(!kinds.contains(.lock) && !kinds.contains(.rename) && !kinds.contains(.renameNoReplace))
        }
    }

    @Test("tells the same events as a run: started, progress to the end, finished, with date and verification")
    func events() async throws {
        let resource = try Self.small.reprDigest(.sha256)
        try await FaultServer.run(["/f": resource]) { server in
            var reported: [[TransferEvent]] = []
            for options in [RunOptions(), Self.options] {
                try await EngineHarness.run { harness in
                    let facts = try await harness.run(harness.spec(server.url("/f")), options).get()
                    #expect(facts.file != nil && facts.verification.checksum != nil)
                    reported.append(harness.events.map { $0.without(harness.folder.path) })
                }
            }
            #expect(reported[0] == reported[1])
            #expect(reported[0].count == 2)
        }
    }

    /// Answers of all kinds, the right ones and the wrong ones.
    static let answers: [(name: String, resource: Resource)] = [
        ("whole without ranges", small.withoutRanges()), ("no validators", small.etag(nil).lastModified(nil)),
        ("empty", .bytes([])), ("one byte", .bytes([7])), ("as large as may be", .file(seed: 73, size: 256 << 10)),
        ("too large", .file(seed: 74, size: (256 << 10) + 1)), ("large", large),
        ("chunked", small.script(.chunked())),
        ("without length", small.script(.withoutLength())), ("not found", small.script(.status(404))),
        (
            "a page of an error",
            small.script { $0.number == 1 ? .status(500, body: String(repeating: "x", count: 9000)) : .normal }
        ),
        ("a large page of an error", small.script(.status(404, body: String(repeating: "x", count: 300_000)))),
        ("busy at first", small.script { $0.number == 1 ? .status(503, ["Retry-After": "0"]) : .normal }),
        ("moved", small.script { $0.query == nil ? .redirect(to: "/f?2") : .normal }),
        ("cut", small.script { $0.number == 1 ? .cut(after: 4000) : .normal }),
        ("cut in the head", small.script { $0.number == 1 ? .cutInHead(after: 40) : .normal }),
        ("reset", small.script { $0.number == 1 ? .reset(after: 5000) : .normal }),
        ("no answer", small.script { $0.number == 1 ? .emptyReply() : .normal }),
        ("shorter than it says", small.script { $0.number == 1 ? .bodyShorter(by: 100) : .normal }),
        ("longer than it says", small.script(.bodyLonger(by: 100))), ("compressed", small.script(.gzipped())),
        ("several parts", small.script { $0.number == 1 ? .multipart() : .normal }),
        ("another range", small.script { $0.number == 1 ? .rangeMoved(by: 100) : .normal }),
        ("less than asked for", small.script(.partial(atMost: 4000))), ("no HTTP", small.script(.garbage([1, 2, 3]))),
        ("slow", small.script(.delay(.milliseconds(30)))), ("in small pieces", small.script(.throttle(100_000))),
    ]

    @Test("ends as a run does, whatever the answer, with as many requests", arguments: answers.map(\.name))
    func same(name: String) async throws {
        let resource = try #require(Self.answers.first { $0.name == name }).resource
        var ends: [String] = []
        for options in [RunOptions(), Self.options] {
            try await FaultServer.run(["/f": resource]) { server in
                try await EngineHarness.run { harness in
                    let end = await harness.run(harness.spec(server.url("/f")), options)
                    if case .success = end { #expect(harness.bytes("f") == resource.allBytes, "\(name)") }
                    let code = end.code?.rawValue ?? "right"
                    let notices = harness.events.count { if case .notice = $0 { true } else { false } }
                    ends.append(
                        "\(code), \(server.requests("/f").count) requests, \(notices) notices, \(harness.names)")
                }
            }
        }
        #expect(ends[0] == ends[1])
    }

    @Test(
        "a wrong digest, in a header or given: nothing is published, and nothing is asked twice",
        arguments: [true, false])
    func wrongDigest(inHeader: Bool) async throws {
        let resource = inHeader ? try Self.small.reprDigest(.sha256, wrong: true) : Self.small
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                if !inHeader { spec.checksum = try Self.large.checksum(.sha1) }
                #expect(await harness.run(spec, Self.options).code == .checksumMismatch)
                #expect(harness.names.isEmpty && server.requests("/f").count == 1)
            }
        }
    }

    @Test("what stands at the place is dealt with by the policy, as ever", arguments: ConflictPolicy.allCases)
    func conflict(policy: ConflictPolicy) async throws {
        var ends: [String] = []
        for options in [RunOptions(), Self.options] {
            try await FaultServer.run(["/f": Self.small]) { server in
                try await EngineHarness.run { harness in
                    try harness.folder.put(Self.old, "f")
                    var spec = harness.spec(server.url("/f"))
                    spec.onConflict = policy
                    let end = await harness.run(spec, options)
                    let isOld = harness.bytes("f") == Self.old
                    ends.append(
                        "\(end.code?.rawValue ?? "right") \(isOld) \(harness.names) \(server.requests("/f").count)")
                }
            }
        }
        #expect(ends[0] == ends[1])
    }

    @Test("a name that is taken while the file comes: it is kept, and the answer is not asked for again")
    func takenMeanwhile() async throws {
        let faults = SystemCallFaults(every: .link, .fail(17))  // EEXIST
        try await FaultServer.run(["/f": Self.small]) { server in
            try await EngineHarness.run(system: faults.system()) { harness in
                var spec = harness.spec(server.url("/f"))
                spec.onConflict = .rename
                _ = try await harness.run(spec, Self.options).get()
                #expect(harness.bytes("f") == Self.small.allBytes && faults.fired == 1)
                #expect(server.requests("/f").count == 1 && harness.names == ["f"])
            }
        }
    }

    /// So many downloads that their folder is read instead of looked into.
    private func fill(_ harness: EngineHarness, _ server: FaultServer) async throws {
        for number in 0..<40 {
            _ = try await harness.run(harness.spec(server.url("/f"), "\(number)"), Self.options).get()
        }
    }

    @Test(
        "a name that came after its folder was read is dealt with as if it had been seen",
        arguments: ConflictPolicy.allCases)
    func cameSince(policy: ConflictPolicy) async throws {
        var ends: [String] = []
        for options in [RunOptions(), Self.options] {
            try await FaultServer.run(["/f": Self.small]) { server in
                try await EngineHarness.run { harness in
                    try await fill(harness, server)
                    try harness.folder.put(Self.old, "f")
                    var spec = harness.spec(server.url("/f"))
                    spec.onConflict = policy
                    let end = await harness.run(spec, options)
                    let isOld = harness.bytes("f") == Self.old
                    ends.append("\(end.code?.rawValue ?? "right") \(isOld) \(harness.names)")
                }
            }
        }
        #expect(ends[0] == ends[1])
    }

    @Test("of two downloads with one name the second hears of the first, whatever was read of their folder")
    func twoOfOneName() async throws {
        try await FaultServer.run(["/f": Self.small, "/large": Self.large]) { server in
            try await EngineHarness.run { harness in
                try await fill(harness, server)
                server.throttle(500_000)
                server.hold(after: 1_000_000)
                let (begun, signal) = AsyncStream<Void>.makeStream()
                async let first = {
                    defer { signal.finish() }
                    return await harness.run(harness.spec(server.url("/large"), "x"), Self.options) { event in
                        if case .started = event { signal.finish() }
                    }
                }()
                for await _ in begun {}
                #expect(await harness.run(harness.spec(server.url("/f"), "x"), Self.options).code == .destinationBusy)
                server.throttle(nil)
                _ = try await first.get()
                #expect(harness.bytes("x") == Self.large.allBytes)
            }
        }
    }

    @Test("what an earlier run left is gone on with")
    func resumes() async throws {
        try await FaultServer.run(["/f": Self.large], throttle: 1_500_000) { server in
            try await EngineHarness.run { harness in
                try await harness.interrupt(harness.spec(server.url("/f")), after: 300_000, server)
                server.throttle(nil)
                _ = try await harness.run(harness.spec(server.url("/f")), Self.options).get()
                #expect(harness.bytes("f") == Self.large.allBytes && harness.names == ["f"])
                #expect((harness.resumedBytes.last ?? 0) > 0)
            }
        }
    }

    @Test("a server that says nothing is stopped waiting for, and asked again")
    func silence() async throws {
        let resource = Self.small.script { $0.number == 1 ? .stall(after: 4000) : .normal }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.idleTimeout = .milliseconds(300)
                _ = try await harness.run(spec, Self.options).get()
                #expect(harness.bytes("f") == Self.small.allBytes)
            }
        }
    }

    @Test("stopped while it waits: cancelled, nothing is left, the request is ended")
    func stopped() async throws {
        try await FaultServer.run(["/f": Self.small.script(.silence())]) { server in
            try await EngineHarness.run { harness in
                let run = Task { await harness.run(harness.spec(server.url("/f")), Self.options) }
                try await server.until { $0.requests.count == 1 }
                run.cancel()
                #expect(await run.value.code == .cancelled)
                #expect(harness.names.isEmpty)
            }
        }
    }

    @Test(
        "the n-th call fails: never a wrong file, and a second run completes",
        arguments: SystemCallFaultEngineTests.codes)
    func everyCall(code: Int32) async throws {
        try await FaultServer.run(["/f": Self.small]) { server in
            var number = 0
            var fired = true
            while fired, number < 100 {
                number += 1
                let faults = SystemCallFaults(number: number, .fail(code))
                try await EngineHarness.run(system: faults.system()) { harness in
                    let spec = harness.spec(server.url("/f"))
                    let result = await harness.run(spec, Self.options)
                    fired = faults.fired > 0
                    if case .success = result { #expect(harness.bytes("f") == Self.small.allBytes, "call \(number)") }
                    guard fired else { return }
                    if case .failure = result {
                        #expect(harness.bytes("f") == nil, "call \(number)")
                        _ = try await harness.run(spec, Self.options).get()
                    }
                    #expect(harness.bytes("f") == Self.small.allBytes && harness.names == ["f"], "call \(number)")
                }
            }
            #expect(number > 8 && number < 100)
        }
    }
}

extension TransferEvent {
    /// Without what differs from run to run: times, the folder, which file it is.
    fileprivate func without(_ folder: String) -> TransferEvent {
        switch self {
        case .started(var facts):
            facts.path = String(facts.path.dropFirst(folder.count))
            facts.partial = nil
            return .started(facts)
        case .finished(var facts):
            facts.path = String(facts.path.dropFirst(folder.count))
            facts.seconds = 0
            facts.file = nil
            return .finished(facts)
        case .progress, .waiting, .notice, .failed: return self
        }
    }
}
