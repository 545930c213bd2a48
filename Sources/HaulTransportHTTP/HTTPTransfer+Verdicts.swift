import HaulTransport
import NIOCore
import NIOHTTP1

/// The body: the verdicts of the sink, and their effects.
extension HTTPTransfer {
    /// Passes bytes to the sink, or holds them while it pauses.
    func forward(_ buffer: ByteBuffer) -> Flow {
        guard !state.value.isPaused else {
            state.value.held = buffer
            return .wait
        }
        switch sink.body(buffer.readableBytesSpan) {
        case .more:
            return .proceed
        case .pause:
            pause(for: nil)
            return .wait
        case .pauseFor(let duration):
            pause(for: duration)
            return .wait
        case .enough:
            end(.enough)
            return .stop
        }
    }

    /// Asks the sink for its verdict.
    func woken() {
        switch state.value.phase {
        case .connecting, .waiting, .receiving: apply(sink.woken())
        case .draining, .ended: break
        }
    }

    private func apply(_ verdict: BodyVerdict) {
        switch verdict {
        case .more: resume()
        case .pause: pause(for: nil)
        case .pauseFor(let duration): pause(for: duration)
        case .enough: end(.enough)
        }
    }

    private func pause(for duration: Duration?) {
        state.value.resumption?.cancel()
        state.value.resumption = nil
        state.value.isPaused = true
        state.value.pauses &+= 1
        guard let duration else { return }
        let pause = state.value.pauses
        state.value.resumption = loop.scheduleTask(in: TimeAmount(duration)) {
            guard self.state.value.pauses == pause else { return }
            self.resume()
        }
    }

    private func resume() {
        state.value.resumption?.cancel()
        state.value.resumption = nil
        state.value.isPaused = false
        state.value.pauses &+= 1
        if let held = state.value.held {
            state.value.held = nil
            let verdict = sink.body(held.readableBytesSpan)
            guard case .more = verdict else { return apply(verdict) }
        }
        if let demand = state.value.demand {
            state.value.demand = nil
            demand.succeed()
        }
        state.value.connection?.resumeReading()
    }
}

/// A rejected body: it is read and discarded if that is cheaper than a new connection.
extension HTTPTransfer {
    private static let largestDrain = 64 << 10
    private static let maxDrain = TimeAmount.milliseconds(500)

    /// Ends the transfer now, or after the body has been discarded.
    func drain(_ head: HTTPResponseHead) -> Flow {
        let length = head.headers.first(name: "content-length").map { Int($0) ?? .max }
        guard head.isKeepAlive, length ?? 0 <= Self.largestDrain else {
            end(.rejected)
            return .stop
        }
        state.value.phase = .draining(left: Self.largestDrain)
        state.value.deadline = loop.scheduleTask(in: Self.maxDrain) {
            guard case .draining = self.state.value.phase else { return }
            self.end(.rejected)
        }
        return .proceed
    }

    /// Counts discarded bytes.
    func drain(_ buffer: ByteBuffer, left: Int) -> Flow {
        let left = left - buffer.readableBytes
        guard left >= 0 else {
            end(.rejected)
            return .stop
        }
        state.value.phase = .draining(left: left)
        return .proceed
    }
}
