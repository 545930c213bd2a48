import AsyncHTTPClient
import HaulFiles
import NIOCore

/// Writes the body of one range at its offset, chunk by chunk, and counts the bytes.
///
/// Unchecked because its counters have no lock: AsyncHTTPClient calls a delegate on one event loop only.
final class RangeWriter: HTTPClientResponseDelegate, @unchecked Sendable {
    typealias Response = Int64

    private let file: OpenFile
    private var position: Int64
    private var written: Int64 = 0

    init(_ file: OpenFile, at position: Int64) {
        self.file = file
        self.position = position
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Int64>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        do {
            // Unsafe: the pointer is only used within the call.
            try unsafe buffer.withUnsafeReadableBytes { bytes in
                try unsafe SystemCalls.live.write(file, RawSpan(_unsafeBytes: bytes), at: position)
            }
            position += Int64(buffer.readableBytes)
            written += Int64(buffer.readableBytes)
            return task.eventLoop.makeSucceededVoidFuture()
        } catch {
            return task.eventLoop.makeFailedFuture(error)
        }
    }

    func didFinishRequest(task: HTTPClient.Task<Int64>) throws -> Int64 { written }
}
