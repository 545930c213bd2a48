/// The working folder of the process.
package enum WorkingFolder {
    /// The path, without links; nil if the folder no longer exists: getcwd(3).
    package static var path: String? {
        // Safe: with no buffer, getcwd allocates one (on Linux and on Apple's systems), which is copied and freed here.
        guard let text = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}
