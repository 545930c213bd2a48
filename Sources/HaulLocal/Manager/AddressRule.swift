package import HaulCore

/// Decides whether downloads that are limited to public addresses may use all addresses at present.
///
/// It is asked before each run, so that a setting applies to a retry. The list keeps the limit: if the setting is
/// withdrawn, it applies again.
package struct AddressRule: Sendable {
    private let allowsAll: @Sendable () -> Bool

    /// Creates a rule.
    package init(allowsAll: @escaping @Sendable () -> Bool) { self.allowsAll = allowsAll }

    /// Returns the spec for a run that starts now.
    package func spec(forRunOf spec: DownloadSpec) -> DownloadSpec {
        guard spec.publicAddressesOnly, allowsAll() else { return spec }
        var spec = spec
        spec.publicAddressesOnly = false
        return spec
    }
}
