import CHaulCurl

/// One option of a transfer, as data.
enum CurlSetting: Hashable {
    /// A text, or nil to suppress a default of libcurl or the environment.
    case text(haul_curl_text, String?)
    /// A number.
    case number(haul_curl_number, Int64)
}

extension CurlSetting {
    /// Returns a boolean option.
    static func flag(_ option: haul_curl_number, _ isOn: Bool) -> CurlSetting { .number(option, isOn ? 1 : 0) }

    /// Returns an option with one of the shim's constants as its value.
    static func choice(_ option: haul_curl_number, _ value: some BinaryInteger) -> CurlSetting {
        .number(option, Int64(value))
    }
}
