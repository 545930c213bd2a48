/// An option of one download in a list: its name as it was written, and its value.
package struct ListOption: Hashable, Sendable {
    /// The name, such as `out`.
    package let name: String
    /// The value; it may be a credential, and is never repeated in a message.
    package let value: String

    /// Makes an option.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The options that a list may give a download: those of aria2's input files, and those of `haul get`.
package enum ListOptionName: String, Hashable, Sendable, CaseIterable {
    case out
    case output
    case dir
    case directory
    case checksum
    case header
    case headers
    case referer
    case userAgent = "user-agent"
    case split
    case maxConnectionPerServer = "max-connection-per-server"
    case connections
    case maxDownloadLimit = "max-download-limit"
    case limitRate = "limit-rate"
    case onConflict = "on-conflict"
    case allowOverwrite = "allow-overwrite"
    case autoFileRenaming = "auto-file-renaming"
    case continues = "continue"
    case noResume = "no-resume"
    case retries
    case maxTries = "max-tries"
    case connectTimeout = "connect-timeout"
    case idleTimeout = "idle-timeout"
    case timeout
    case maxWait = "max-wait"
    case maxTime = "max-time"
    case minSpeed = "min-speed"
    case range
    case partialFolder = "partial-folder"
    case checkCertificate = "check-certificate"
    case insecure
    case compressed
    case httpAcceptGzip = "http-accept-gzip"
    case raw
    case failOnHTML = "fail-on-html"
    case allowDowngrade = "allow-downgrade"

    /// Finds an option by its name; `limitRate` is `limit-rate`, too.
    package init?(written name: String) {
        var words = ""
        for scalar in name.unicodeScalars {
            if ("A"..."Z").contains(scalar) { words += "-" }
            words += scalar.properties.lowercaseMapping
        }
        self.init(rawValue: words)
    }
}
