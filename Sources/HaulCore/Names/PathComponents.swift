extension String {
    /// The components of a path, without empty ones.
    ///
    /// Split between bytes as the kernel does: a combining mark behind a slash makes one `Character` of both, and would hide the slash.
    package var pathComponents: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }
}
