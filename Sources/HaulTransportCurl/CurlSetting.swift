import CHaulCurl

/// One option of a transfer, as data.
enum CurlSetting: Hashable {
    /// Text, or nil for none, whatever libcurl or the environment would take else.
    case text(haul_curl_text, String?)
    /// A number.
    case number(haul_curl_number, Int64)
}

extension CurlSetting {
    /// A switch.
    static func flag(_ option: haul_curl_number, _ isOn: Bool) -> CurlSetting { .number(option, isOn ? 1 : 0) }

    /// One of the constants of the shim.
    static func choice(_ option: haul_curl_number, _ value: some BinaryInteger) -> CurlSetting {
        .number(option, Int64(value))
    }
}
