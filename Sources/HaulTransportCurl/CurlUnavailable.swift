import CHaulCurl

/// The reason why libcurl is not available.
package enum CurlUnavailable: Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The package was built without its trait `Curl`.
    case leftOut
    /// The machine has no such library.
    case notFound
    /// The library lacks required functions.
    case tooOld

    /// The cause and the remedy, as the continuation of "this needs libcurl, and".
    package var description: String {
        switch self {
        case .leftOut: "this build of Haul does not include it (package trait Curl)"
        case .notFound: "it is not installed (on Debian, the package libcurl4)"
        case .tooOld: "the installed version is older than 7.68.0"
        }
    }

    /// Returns the reason why the library is not available; nil if it is.
    ///
    /// It is loaded once in a process.
    ///
    /// The first call takes some 5 ms.
    package static func reason() -> CurlUnavailable? { CurlUnavailable(haul_curl_load()) }

    init?(_ presence: haul_curl_presence) {
        switch presence {
        case haul_curl_present: return nil
        case haul_curl_left_out: self = .leftOut
        case haul_curl_not_found: self = .notFound
        case _: self = .tooOld
        }
    }
}
