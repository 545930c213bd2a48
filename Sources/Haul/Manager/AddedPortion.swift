import HaulCore
import HaulStore

/// Specs that have been checked, on their way to the catalogue.
struct AddedPortion: Sendable {
    private(set) var records: [NewRecord] = []
    /// The specs of the records, with what is never stored.
    private(set) var specs: [DownloadSpec] = []
    /// What each spec came to: an error, or its place among the records.
    private(set) var outcomes: [Result<Int, DownloadError>] = []

    init(_ specs: some Collection<DownloadSpec>) {
        outcomes.reserveCapacity(specs.count)
        for spec in specs {
            do throws(DownloadError) {
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
    /// Parses what can be wrong with a spec before anything is fetched.
    init(checking spec: DownloadSpec) throws(DownloadError) {
        let source = try MachineConfiguration(spec).url
        guard (-1000...1000).contains(spec.priority) else {
            throw DownloadError(.invalidRequest, "invalid priority \(spec.priority): expected -1000 to 1000")
        }
        self.init(spec: spec, source: source, state: spec.startsPaused ? .paused : .queued)
    }
}
