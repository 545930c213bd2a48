import Foundation
import HaulCore
import Testing

@testable import HaulCLI

@Suite struct ByteOutputTests {
    private func pair() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        // The kernel writes two numbers.
        #expect(unsafe pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func allBytesArriveHoweverSlowTheReader() async throws {
        let (read, write) = pair()
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let output = ByteOutput(OutputFile(descriptor: write))
        // On a thread of its own: what blocks here would block other tests.
        async let received = withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let reader = FileHandle(fileDescriptor: read, closeOnDealloc: true)
                var all = Data()
                while all.count < bytes.count, let more = try? reader.read(upToCount: 10_000) { all += more }
                continuation.resume(returning: all)
            }
        }
        #expect(await output.write(bytes) && output.failure == nil)
        #expect(await received.elementsEqual(bytes))
        close(write)
    }

    @Test func aClosedReaderIsNoError() async {
        signal(SIGPIPE, SIG_IGN)
        let (read, write) = pair()
        close(read)
        let output = ByteOutput(OutputFile(descriptor: write))
        #expect(!output.hasBegun)
        #expect(await !output.write([1]) && output.failure == .closed)
        #expect(output.hasBegun)
        close(write)
    }

    @Test func whatTheSystemRefusesIsSaid() async {
        let output = ByteOutput(OutputFile(descriptor: -1))
        #expect(await !output.write([1]))
        guard case .failed(let error)? = output.failure else { return #expect(Bool(false)) }
        #expect(error.code == .fileFailed && error.cause != nil)
    }

    @Test func aFullDiskHasItsOwnCode() async throws {
        let full = unsafe open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        let output = ByteOutput(OutputFile(descriptor: full))
        #expect(await !output.write([1]))
        guard case .failed(let error)? = output.failure else { return #expect(Bool(false)) }
        #expect(error.code == .noSpace)
        close(full)
    }

    @Test func aCancelledTaskDoesNotWaitForAReaderThatHasStopped() async {
        let (read, write) = pair()
        let output = ByteOutput(OutputFile(descriptor: write))
        // More than a pipe holds, and nobody reads.
        let task = Task { await output.write([UInt8](repeating: 1, count: 1 << 20)) }
        task.cancel()
        #expect(await !task.value)
        // Its thread hangs in write(2) until the reader goes.
        signal(SIGPIPE, SIG_IGN)
        close(read)
    }
}
