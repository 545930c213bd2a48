#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Another process.
enum Aria2Process {
    /// Whether there is one with this number: signal 0 asks for no more (kill(2)).
    static func isAlive(_ number: Int64) -> Bool {
        kill(pid_t(truncatingIfNeeded: number), 0) == 0 || errno == EPERM
    }
}
