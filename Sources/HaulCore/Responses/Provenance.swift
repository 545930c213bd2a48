/// How the bytes of a partial came together, in the order of how much has to be shown before they are continued.
package enum Provenance: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// From one source, whose validators say of each byte which version it is of.
    case oneSource
    /// From several sources, each of which was compared with what was there before it was joined.
    case compared
    /// Joined without a look, or by mirrors that nobody has chosen, because a digest decides at the end: only with one are they continued.
    case unproven

    package static func < (first: Provenance, second: Provenance) -> Bool { first.rawValue < second.rawValue }
}
