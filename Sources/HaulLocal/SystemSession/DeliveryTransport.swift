import HTTPTypes
import HaulCore
import HaulFiles
package import HaulTransport
import Synchronization

/// The files that the system has delivered, as the engine reads them: by a number in a header of the request.
package final class DeliveryTable: Sendable {
    /// A file, and the response that it came with.
    struct Delivery: Sendable {
        var path: String
        var head: HTTPResponse
    }

    private let state = Mutex<(last: Int, deliveries: [String: Delivery])>((0, [:]))

    /// Creates an empty table.
    package init() {}

    /// Adds a file, or none, and returns its number.
    func add(_ delivery: Delivery?) -> String {
        state.withLock { state in
            state.last += 1
            state.deliveries["\(state.last)"] = delivery
            return "\(state.last)"
        }
    }

    func remove(_ number: String) { state.withLock { _ = $0.deliveries.removeValue(forKey: number) } }

    subscript(number: String) -> Delivery? { state.withLock { $0.deliveries[number] } }
}

/// A transport that reads delivered files instead of the network, and passes all other requests on.
///
/// So the engine does with a delivered file what it does with any response: it chooses the name, checks size and digests,
/// and gives the file its name when it is durable.
package struct DeliveryTransport: Transport {
    static let header = "Haul-Delivery"
    private static let name = HTTPField.Name(header)

    private let table: DeliveryTable
    private let others: any Transport

    /// Creates a transport over another one.
    package init(_ table: DeliveryTable, others: any Transport) { (self.table, self.others) = (table, others) }

    package func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        guard let name = Self.name, let number = request.headers[name] else {
            return others.start(request, sink: sink)
        }
        let transfer = DeliveryResponse.transfer(of: table[number], request, sink)
        transfer.begin()
        return transfer
    }

    package func shutdown() async { await others.shutdown() }
}

/// A delivered file that is sent as a server sends it.
enum DeliveryResponse {
    private static let chunk = 256 << 10

    /// Returns the transfer of a delivered file, or of a part of it.
    static func transfer(
        of delivery: DeliveryTable.Delivery?, _ request: TransferRequest, _ sink: any TransferSink
    ) -> PushedTransfer {
        let system = SystemCalls.live
        let rest = Mutex<(file: OpenFile, range: ByteRange)?>(nil)
        return PushedTransfer(
            request, sink, chunk: chunk,
            start: {
                guard let delivery, let file = try? system.open(delivery.path, .read),
                    let size = try? system.status(file).size
                else { return .end(.failed(TransportError(.unusable, "the delivered file does not exist"))) }
                let (head, range) = response(delivery.head, size: size, to: request.headers)
                rest.withLock { $0 = (file, range) }
                return .head(head)
            },
            next: { size in
                guard let (file, range) = rest.withLock({ $0 }), !range.isEmpty else { return .end(.complete) }
                let count = Int(min(range.count, Int64(size)))
                // Safe: `read` writes no more than the buffer holds, and returns the number of bytes that it wrote.
                let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, count in
                    count =
                        unsafe (try? system.read(
                            file, into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)) ?? 0
                }
                guard !bytes.isEmpty else {
                    return .end(.failed(TransportError(.cut, "the delivered file can't be read")))
                }
                let left = ByteRange(from: range.lowerBound + Int64(bytes.count), to: range.upperBound)
                rest.withLock { $0 = (file, left) }
                return .bytes(bytes)
            })
    }

    /// Returns the response to a request for the file, or a part of it, as a server gives it (RFC 9110, 14.2 and 13.1.5).
    static func response(
        _ head: HTTPResponse, size: Int64, to headers: HTTPFields
    ) -> (head: HTTPResponse, range: ByteRange) {
        let whole = ByteRange(from: 0, to: size)
        let validators = [head.headerFields[.eTag], head.headerFields[.lastModified]]
        guard head.status == .ok, let text = headers[.range], let range = range(text, size: size),
            headers[.ifRange].map({ validators.contains($0) }) ?? true
        else { return (head, whole) }
        var part = head
        part.status = .partialContent
        part.headerFields[.contentLength] = "\(range.count)"
        part.headerFields[.contentRange] = ContentRange.range(range, total: size).description
        if let name = HTTPField.Name("Content-MD5") { part.headerFields[name] = nil }
        return (part, range)
    }

    /// Reads a range as the engine requests it: `bytes=5-` or `bytes=5-9`; nil if it is another one, or not in the file.
    private static func range(_ text: String, size: Int64) -> ByteRange? {
        guard text.hasPrefix("bytes=") else { return nil }
        let bounds = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Int64(bounds[0]), first < size else { return nil }
        guard !bounds[1].isEmpty else { return ByteRange(from: first, to: size) }
        guard let last = Int64(bounds[1]), last >= first else { return nil }
        return ByteRange(from: first, to: min(last, size - 1) + 1)
    }
}
