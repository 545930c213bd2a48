import HaulLibC

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The figures of a process that Prometheus' client libraries report under `process_`.
package struct ProcessFigures: Hashable, Sendable {
    /// The processor time used, in seconds.
    package var cpuSeconds: Double
    /// The start, in seconds since 1970.
    package var startTime: Double
    /// The resident memory; nil if unknown.
    package var residentBytes: Int64?
    /// The address space; nil if unknown.
    package var virtualBytes: Int64?
    /// The number of open files; nil if unknown.
    package var openFiles: Int64?
    /// The maximum number of open files; nil if unknown.
    package var maxFiles: Int64?

    /// Reads the figures of this process.
    ///
    /// - Parameter started: The time when it started.
    package init(started: Date) {
        startTime = (started.timeIntervalSince1970 * 1000).rounded() / 1000
        var time = timespec()
        // Unsafe: the kernel fills a value that outlives the call.
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        cpuSeconds = Double(time.tv_sec) + Double(time.tv_nsec / 1_000_000) / 1000
        maxFiles = DescriptorLimit.current.map { Int64(clamping: $0) }
        #if !canImport(Darwin)
            // proc(5): the sizes of the program and of its resident part, in pages.
            let page = Int64(sysconf(Int32(_SC_PAGESIZE)))
            let sizes = Self.text(of: "/proc/self/statm").split(separator: " ").prefix(2).compactMap { Int64($0) }
            if sizes.count == 2 { (virtualBytes, residentBytes) = (sizes[0] * page, sizes[1] * page) }
            // The folder itself is open while it is read.
            openFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map {
                Int64($0.count - 1)
            }
        #endif
    }

    /// Returns the text of a short file of proc(5), which has no size.
    private static func text(of path: String) -> String {
        // Unsafe: the path is copied by the call.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        // Unsafe: the buffer is borrowed for the call.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe systemRead(file, $0.baseAddress, $0.count) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
