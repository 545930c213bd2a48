import Foundation
import Testing

/// Where a program tells its service manager something.
final class NotifySocket: Sendable {
    let path: String
    let file: Int32

    init(path: String) throws {
        self.path = path
        file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        // Unsafe: the path fits, as was checked, and the address is borrowed for the call.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let bound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }

    deinit { close(file) }

    /// The next datagram.
    func next() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        // Unsafe: the buffer is borrowed for the call.
        let count = unsafe recv(file, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
