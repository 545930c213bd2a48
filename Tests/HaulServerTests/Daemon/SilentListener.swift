import Foundation
import HaulLibC
import Testing

/// A process's listener at a Unix socket that accepts nothing; its file stays when it is gone.
final class SilentListener {
    private let file: Int32

    init(path: String, replacing: Bool = false) throws {
        // Unsafe: the path is copied by the call.
        if replacing { unsafe _ = unlink(path) }
        #if canImport(Glibc)
            // Programs that other tests start must not inherit it.
            file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
            file = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // Unsafe: the paths of tests are short, and the address is borrowed for the call, which copies it.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(file, 4) == 0)
    }

    deinit { close(file) }
}
