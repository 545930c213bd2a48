#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The time of day.
enum WallClock {
    /// Seconds since 1970.
    static func now() -> Int64 { Int64(time(nil)) }
}
