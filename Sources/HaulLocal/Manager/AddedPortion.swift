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
        // Most lists have the same values for all downloads.
        var checked = DownloadSpec.Transfer.standard
        for spec in specs {
            do throws(DownloadError) {
                let spec = try spec.absolute(in: folder)
                if spec.transfer != checked {
                    try spec.transfer.check()
                    checked = spec.transfer
                }
                records.append(try NewRecord(checking: spec))
                self.specs.append(spec)
                outcomes.append(.success(records.count - 1))
            } catch {
                outcomes.append(.failure(error))
            }
        }
    }

    /// Refuses the specs that name downloads which do not exist.
    mutating func refuse(
        _ areMissing: (Set<DownloadID>) throws(DownloadError) -> Bool
    ) throws(DownloadError) {
        guard specs.contains(where: { !$0.after.isEmpty }) else { return }
        var (records, specs): ([NewRecord], [DownloadSpec]) = ([], [])
        for index in outcomes.indices {
            guard case .success(let old) = outcomes[index] else { continue }
            let after = self.specs[old].after
            if !after.isEmpty, try areMissing(after) {
                let names = after.sorted().map(\.description).joined(separator: ", ")
                outcomes[index] = .failure(
                    DownloadError(.invalidRequest, "after names a download that does not exist: \(names)"))
                continue
            }
            outcomes[index] = .success(records.count)
            records.append(self.records[old])
            specs.append(self.specs[old])
        }
        (self.records, self.specs) = (records, specs)
    }
}

extension NewRecord {
    /// Checks a spec for everything that can be invalid before anything is fetched.
    init(checking spec: DownloadSpec) throws(DownloadError) {
        let source = try MachineConfiguration(spec).url
        guard (-1000...1000).contains(spec.priority) else {
            throw DownloadError(.invalidRequest, "invalid priority \(spec.priority): expected -1000 to 1000")
        }
        guard spec.key != "" else {
            throw DownloadError(.invalidRequest, "the key is empty: downloads with equal keys are one download")
        }
        self.init(spec: spec, source: source, state: spec.startsPaused ? .paused : .queued)
    }
}
