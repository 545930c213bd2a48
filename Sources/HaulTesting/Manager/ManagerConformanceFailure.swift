/// A promise that a manager broke.
package struct ManagerConformanceFailure: Error, CustomStringConvertible {
    /// What happened instead.
    package let description: String
}
