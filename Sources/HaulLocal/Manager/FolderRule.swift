package import HaulCore
import HaulEngine
import HaulFiles

/// Decides which folders a manager's downloads may write to at present, whatever the list says.
package struct FolderRule: Sendable {
    /// Returns the error for a folder that files must not be written to or removed from; it may block.
    private let refusal: @Sendable (_ folder: String) -> DownloadError?

    /// Creates a rule.
    package init(refusal: @escaping @Sendable (_ folder: String) -> DownloadError?) { self.refusal = refusal }

    /// Has the engine ask the rule about each folder that it opens.
    func apply(to options: inout RunOptions) { options.folderRefusal = refusal }

    /// Returns the error of the first folder that is refused.
    func refusal(of folders: [String]) -> DownloadError? {
        // Each is asked once: a lazy map would ask again, and fail if a folder has changed meanwhile.
        for folder in folders {
            if let error = refusal(folder) { return error }
        }
        return nil
    }
}

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

extension DownloadSpec {
    /// Returns the folder that the data is written to, for a folder of the finished file.
    func dataFolder(_ folder: String) -> String { local.partialFolder ?? folder }

    /// The folders that a run may write to.
    ///
    /// - Parameter targetPath: The path that an earlier run chose.
    package func folders(targetPath: String?) -> [String] {
        let asked =
            switch placement.destination {
            case .file(let path): PartialNames(final: path).folder
            case .folder(let path), .hashed(let path): path
            }
        return [asked, local.partialFolder, targetPath.map { PartialNames(final: $0).folder }].compactMap(\.self)
    }
}
