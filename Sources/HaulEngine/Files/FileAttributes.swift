package import HaulCore

#if canImport(Darwin)
    import Foundation
#endif

/// The attributes of finished files that only Apple's systems have.
package enum FileAttributes {
    /// The capabilities of this system.
    package static var capabilities: Capabilities {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            [.fileProtection, .backupExclusion]
        #elseif os(macOS)
            [.backupExclusion]
        #else
            []
        #endif
    }

    /// Returns true if a download's file gets attributes here.
    static func applies(to spec: DownloadSpec) -> Bool {
        #if canImport(Darwin)
            spec.protection != nil || spec.isExcludedFromBackup
        #else
            false
        #endif
    }

    /// Gives a file the attributes of its download, before it gets its name.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`: a file that was to be protected is not published without protection.
    static func apply(_ spec: DownloadSpec, toFileAt path: String) throws(DownloadError) {
        #if canImport(Darwin)
            do {
                #if !os(macOS)
                    if let protection = spec.protection {
                        try FileManager.default.setAttributes(
                            [.protectionKey: FileProtectionType(protection)], ofItemAtPath: path)
                    }
                #endif
                if spec.isExcludedFromBackup {
                    var url = URL(fileURLWithPath: path)
                    var values = URLResourceValues()
                    values.isExcludedFromBackup = true
                    try url.setResourceValues(values)
                }
            } catch {
                throw DownloadError(
                    .fileFailed, "can't set the protection of \(path)", cause: error.localizedDescription)
            }
        #endif
    }
}

#if canImport(Darwin) && !os(macOS)
    extension FileProtectionType {
        /// Converts a protection class.
        fileprivate init(_ protection: FileProtection) {
            self =
                switch protection {
                case .none: .none
                case .complete: .complete
                case .completeUnlessOpen: .completeUnlessOpen
                case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
                }
        }
    }
#endif
