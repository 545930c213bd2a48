/// The version of the program, the one place where it stands.
package enum Version {
    /// The number as `haul --version` prints it.
    package static let current = "1.0.0-rc.1"
}
