import HaulLibC
import NIOCore

/// Gives the spare descriptors free when a connection can't be accepted for want of one, and takes them back afterwards.
///
/// Without it, NIO would try again after a second, and downloads would have taken what has become free.
final class AcceptGuard: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let spare: SpareDescriptors

    /// How long after they were given free the spare descriptors are taken back, as far as there are any.
    private static let pause = TimeAmount.milliseconds(500)

    init(_ spare: SpareDescriptors) { self.spare = spare }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isShort = (error as? IOError).map { [EMFILE, ENFILE].contains($0.errnoCode) } ?? false
        guard isShort else { return context.fireErrorCaught(error) }
        // With nothing left to give, NIO waits before it tries again.
        if !spare.release() { context.fireErrorCaught(error) }
        Self.refill(spare, on: context.eventLoop)
    }

    private static func refill(_ spare: SpareDescriptors, on loop: any EventLoop) {
        loop.scheduleTask(in: pause) {
            if !spare.refill() { refill(spare, on: loop) }
        }
    }
}
