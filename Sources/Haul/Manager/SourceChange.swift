package import HaulCore

/// What becomes of a download's source; what is nil stays as it is.
package struct SourceChange: Sendable {
    /// The URL.
    package var url: String?
    /// The headers.
    package var headers: [DownloadSpec.Header]?
    /// The password of its user.
    package var password: Secret?
    /// The token.
    package var bearerToken: Secret?
    /// Whether only public addresses are connected to.
    package var publicAddressesOnly: Bool?

    /// Changes nothing.
    package init() {}
}
