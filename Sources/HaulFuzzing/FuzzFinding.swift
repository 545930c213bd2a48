/// Something that a parser did and must never do.
package struct FuzzFinding: Error, Hashable, CustomStringConvertible {
    /// What must hold and did not.
    package let description: String

    /// Makes a finding.
    package init(_ description: String) { self.description = description }
}

/// Throws a finding where something that must hold does not.
func claim(_ holds: Bool, _ what: @autoclosure () -> String) throws(FuzzFinding) {
    if !holds { throw FuzzFinding(what()) }
}

/// Throws a finding where two texts differ in any byte.
///
/// `==` on strings is Unicode's canonical equivalence; a file system and a server compare bytes.
func claimSameBytes(_ one: String, _ other: String, _ what: String) throws(FuzzFinding) {
    try claim(one.utf8.elementsEqual(other.utf8), "\(what): \"\(one)\" and \"\(other)\"")
}
