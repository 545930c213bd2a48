import HaulLibC
import NIOCore

/// Releases the spare descriptors if a connection can't be accepted because none is free, and opens them again
/// afterwards.
///
/// Without it, NIO would try again only after a second, and downloads would by then have taken any freed descriptor.
final class AcceptGuard: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let spare: SpareDescriptors

    /// The time from releasing the spare descriptors until opening them again, as far as possible.
    private static let pause = TimeAmount.milliseconds(500)

    init(_ spare: SpareDescriptors) { self.spare = spare }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isShort = (error as? IOError).map { [EMFILE, ENFILE].contains($0.errnoCode) } ?? false
        guard isShort else { return context.fireErrorCaught(error) }
        // If there is nothing left to release, NIO waits before it tries again.
        if !spare.release() { context.fireErrorCaught(error) }
        Self.refill(spare, on: context.eventLoop)
    }

    private static func refill(_ spare: SpareDescriptors, on loop: any EventLoop) {
        loop.scheduleTask(in: pause) {
            if !spare.refill() { refill(spare, on: loop) }
        }
    }
}
