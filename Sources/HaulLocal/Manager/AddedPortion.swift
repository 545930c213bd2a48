import HaulCore
import HaulStore

/// Checked specs, ready to be inserted into the catalogue.
struct AddedPortion: Sendable {
    private(set) var records: [NewRecord] = []
    /// The specs of the records, including the secrets, which are never stored.
    private(set) var specs: [DownloadSpec] = []
    /// The result for each spec: an error, or its index in `records`.
    private(set) var outcomes: [Result<Int, DownloadError>] = []

    /// Checks specs.
    ///
    /// - Parameter folder: The folder that relative paths are resolved against.
    init(_ specs: some Collection<DownloadSpec>, in folder: String?) {
        outcomes.reserveCapacity(specs.count)
        for spec in specs {
            do throws(DownloadError) {
                let spec = try spec.absolute(in: folder)
                records.append(try NewRecord(checking: spec))
                self.specs.append(spec)
                outcomes.append(.success(records.count - 1))
            } catch {
                outcomes.append(.failure(error))
            }
        }
    }
}

extension NewRecord {
    /// Checks a spec for everything that can be invalid before anything is fetched.
    init(checking spec: DownloadSpec) throws(DownloadError) {
        let source = try MachineConfiguration(spec).url
        guard (-1000...1000).contains(spec.priority) else {
            throw DownloadError(.invalidRequest, "invalid priority \(spec.priority): expected -1000 to 1000")
        }
        self.init(spec: spec, source: source, state: spec.startsPaused ? .paused : .queued)
    }
}
