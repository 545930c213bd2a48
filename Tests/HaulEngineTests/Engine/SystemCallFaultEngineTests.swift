import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Every system call may fail, in a whole download", .usesSockets)
struct SystemCallFaultEngineTests {
    static let file = Resource.file(seed: 11, size: 1_500_000)
    static let old: [UInt8] = Array("what stood there before".utf8)
    // ENOSPC, EIO, EMFILE and EINTR have these numbers on Linux and on Apple's systems alike.
    static let codes: [Int32] = [28, 5, 24, 4]

    @Test("a small file costs so many system calls and not one more")
    func smallFile() async throws {
        let small = Resource.file(seed: 12, size: 10_240)
        try await FaultServer.run(["/f": small]) { server in
            let faults = SystemCallFaults(number: .max, .proceed)
            try await EngineHarness.run(system: faults.system()) { harness in
                _ = try await harness.run(harness.spec(server.url("/f"), connections: 1)).get()
                #expect(harness.bytes("f") == small.allBytes)
            }
            let kinds = faults.calls.map(\.kind)
            #expect(kinds.count { $0 == .pwrite } == 1, "written as it came")
            #expect(kinds.count { $0 == .open } == 2, "the partial and the mark in the place of a journal")
            #expect(
                kinds.count { $0 == .status } <= 16, "two of them find another run's mark where locks are not shared")
            #expect(kinds.count { $0 == .fsync || $0 == .fsyncFolder } == 2)
        }
    }

    @Test("the n-th call fails: never a wrong file, the cause is named, a second run completes", arguments: codes)
    func everyCall(code: Int32) async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            var number = 0
            var fired = true
            while fired, number < 400 {
                number += 1
                let faults = SystemCallFaults(number: number, .fail(code))
                try await EngineHarness.run(system: faults.system()) { harness in
                    try harness.folder.put(Self.old, "f")
                    var spec = harness.spec(server.url("/f"), connections: 2)
                    spec.onConflict = .replace
                    let result = await harness.run(spec)
                    fired = faults.fired > 0
                    let isThere = harness.bytes("f") == Self.file.allBytes
                    switch result {
                    case .success: #expect(isThere, "call \(number): \(faults.calls[number - 1])")
                    case .failure(let error):
                        #expect(isThere || harness.bytes("f") == Self.old, "call \(number)")
                        #expect(error.cause?.isEmpty == false || error.code != .fileFailed, "call \(number): \(error)")
                    }
                    // A call that was not reached would fail in the second run instead.
                    guard fired else { return }
                    _ = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == Self.file.allBytes)
                    #expect(harness.names.filter { !$0.hasSuffix(".bad") } == ["f"], "call \(number)")
                }
            }
            #expect(number > 20 && number < 400)
        }
    }
}
