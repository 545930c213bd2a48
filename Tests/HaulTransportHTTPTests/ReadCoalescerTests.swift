import NIOCore
import NIOEmbedded
import Testing

@testable import HaulTransportHTTP

@Suite("Pauses between reads")
struct ReadCoalescerTests {
    /// Counts the reads that reach the socket.
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = Any
        var count = 0
        func read(context: ChannelHandlerContext) { count += 1 }
    }

    private let loop = EmbeddedEventLoop()
    private let channel: EmbeddedChannel
    private let reads = Reads()

    init() throws {
        channel = EmbeddedChannel(loop: loop)
        let loop = loop
        try channel.pipeline.syncOperations.addHandlers(reads, ReadCoalescer(bufferBytes: 1 << 20, now: { loop.now }))
    }

    /// Receives bytes and asks for more; returns true if that is read at once.
    private func receive(_ count: Int) -> Bool {
        channel.pipeline.fireChannelRead(ByteBuffer(repeating: 0, count: count))
        let before = reads.count
        channel.pipeline.read()
        return reads.count > before
    }

    /// Lets a pause end; returns true if there was one.
    private func pauseEnds() -> Bool {
        let before = reads.count
        loop.advanceTime(by: .microseconds(500))
        return reads.count > before
    }

    @Test("Many small reads from a fast sender are gathered")
    func gathered() {
        var pauses = 0
        for _ in 0..<200 where !receive(16 << 10) {
            #expect(pauseEnds())
            // Four records have arrived meanwhile.
            for _ in 0..<3 { channel.pipeline.fireChannelRead(ByteBuffer(repeating: 0, count: 16 << 10)) }
            pauses += 1
        }
        #expect(pauses > 100)
    }

    @Test("A sender that waits for the reader is not kept waiting: the window is full without a pause")
    func fullWindow() {
        var pauses = 0
        for _ in 0..<200 where !receive(95_232) {
            #expect(pauseEnds())
            pauses += 1
        }
        #expect(1...4 ~= pauses, "\(pauses)")
    }

    @Test("A slow sender is read at once")
    func slow() {
        for _ in 0..<50 {
            loop.advanceTime(by: .milliseconds(20))
            #expect(receive(16 << 10))
        }
    }

    @Test("Large reads are never followed by a pause")
    func large() { for _ in 0..<50 { #expect(receive(512 << 10)) } }
}
