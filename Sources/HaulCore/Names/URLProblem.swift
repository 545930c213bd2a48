/// The reason why Haul cannot fetch a URL.
enum URLProblem: Error, Hashable {
    /// It contains a C0 control or DEL.
    case controlByte
    /// It does not begin with a scheme.
    case noScheme
    /// It does not begin with a scheme, and contains a space: probably it is several words.
    case space
    /// Its scheme is not supported, or not allowed as the target of a redirect.
    case otherScheme(String)
    /// It has no host.
    case noHost
    /// The host has characters beyond ASCII that are not allowed in host names.
    case hostNotASCII
    /// The host is neither a name nor an address.
    case badHost
    /// The port is not a number from 1 to 65535.
    case badPort
    /// The user name or the password can't be sent with Basic authentication (RFC 7617, section 2).
    case badCredentials

    /// The schemes that need libcurl, as an addition to a sentence; empty in a build without it.
    private static var schemesOfCurl: String {
        #if Curl
            " (or ftp://, ftpes://, ftps://, sftp://)"
        #else
            ""
        #endif
    }

    /// A phrase that states the problem and how to correct it.
    var advice: String {
        switch self {
        case .controlByte: "it contains a control character; write it percent-encoded, such as %0A"
        case .noScheme: "it must begin with http:// or https://\(Self.schemesOfCurl)"
        case .space: "it contains a space; write each URL on its own, beginning with http:// or https://"
        case .otherScheme(let scheme) where URLOrigin.knows(scheme):
            "\(scheme): is not followed; it must begin with http:// or https://"
        case .otherScheme(let scheme):
            "\(scheme): is not supported; it must begin with http:// or https://\(Self.schemesOfCurl)"
        case .noHost: "it has no host; write https://HOST/PATH"
        case .hostNotASCII:
            "the host has characters that host names cannot have; write its ASCII form, which begins with xn-- (punycode)"
        case .badHost: "the host must be a name of letters, digits, dots and hyphens, an IPv4 address, or [IPv6]"
        case .badPort: "the port must be a number from 1 to 65535"
        case .badCredentials:
            "user name and password must be UTF-8 text without control characters, the user name without a colon"
        }
    }
}
