/// A property that a parser has violated.
package struct FuzzFinding: Error, Hashable, CustomStringConvertible {
    /// A description of the property.
    package let description: String

    /// Makes a finding.
    package init(_ description: String) { self.description = description }
}

/// Throws a finding if a property does not hold.
func claim(_ holds: Bool, _ what: @autoclosure () -> String) throws(FuzzFinding) {
    if !holds { throw FuzzFinding(what()) }
}

/// Throws a finding if two texts differ in any byte.
///
/// `==` on strings compares by Unicode's canonical equivalence; file systems and servers compare bytes.
func claimSameBytes(_ one: String, _ other: String, _ what: String) throws(FuzzFinding) {
    try claim(one.utf8.elementsEqual(other.utf8), "\(what): \"\(one)\" and \"\(other)\"")
}
