/// Which of a slot's two counters may be believed.
package enum JournalTrust: Sendable, Hashable, CaseIterable {
    /// What was handed to the kernel: its page cache outlives the process that wrote.
    case written
    /// Only what is on the medium: the machine, or the disk, was away since.
    case durable

    /// Decides by the boot and the mount.
    ///
    /// A stick that was pulled out lost its cache without a restart; its mount is another one then.
    package init(_ header: JournalHeader, bootID: String, mountID: UInt64) {
        let sameBoot = !bootID.isEmpty && header.bootID == bootID
        self = sameBoot && header.mountID == mountID ? .written : .durable
    }
}
