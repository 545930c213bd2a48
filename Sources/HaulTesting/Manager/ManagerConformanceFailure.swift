/// A promise that a manager did not keep.
package struct ManagerConformanceFailure: Error, CustomStringConvertible {
    /// A description of what happened instead.
    package let description: String
}
