import HaulCore
import HaulStore

extension StoredFilter {
    /// A public filter in the catalogue's words.
    init(_ filter: DownloadFilter) {
        self.init(
            filter, states: filter.states.map { kinds in Set(StoredState.allCases.filter { kinds.contains($0.kind) }) })
    }
}

extension CatalogueLocation {
    /// Where a manager's list is kept.
    init(_ storage: ManagerConfiguration.Storage) {
        switch storage {
        case .inMemory: self = .inMemory
        case .file(let path): self = .file(path: path)
        }
    }
}

extension Array {
    /// The elements in groups of so many.
    func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
