/// What happens when something stands at the destination already.
///
/// The policy is applied before the first byte is asked for, and again when the file is published.
public enum ConflictPolicy: String, Sendable, Codable, CaseIterable {
    /// Refuse; what stands there is not touched. The default.
    case fail
    /// Replace it, atomically, when the new file is complete and verified.
    case replace
    /// Take the next free name: `name (1).ext`, `name (2).ext`, …
    case rename
    /// Leave it where it is the same (by checksum if one is given, else by size and date); replace it otherwise.
    case keep
    /// Leave whatever file stands there, and ask the server nothing: under its final name a file of Haul's is always complete.
    ///
    /// With a checksum it is `keep`. Where the name comes from the server, it is known only after the first answer.
    case skip
}
