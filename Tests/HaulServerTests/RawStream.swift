import NIOCore
import NIOPosix

/// Reads a stream until a text stands in it.
enum RawStream {
    static func read(_ port: Int, _ path: String, _ headers: [String], until text: String) async throws -> String {
        let channel = try await RawClient.connect(port)
        return try await channel.executeThenClose { inbound, outbound in
            let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
            try await outbound.write(ByteBuffer(string: lines.joined(separator: "\r\n") + "\r\n\r\n"))
            var found = ""
            for try await part in inbound {
                found += String(buffer: part)
                if found.contains(text) { break }
            }
            return found
        }
    }
}
