package import HaulCore
import HaulFiles
import HaulStore

/// Changes the folder of downloads in a list that no manager has open.
package struct ListRelocation: Sendable {
    /// The result.
    package struct Report: Hashable, Sendable {
        /// The number of downloads with new paths.
        package var moved = 0
        /// The partial files at the new paths that are resumed as they are.
        package var ready = 0
        /// The partial files that were copied, and whose journals were written again.
        package var adopted = 0
        /// The partial files that were copied and are left alone: their downloads start over.
        package var copied = 0
        /// The partial files that can't be resumed, with the reasons.
        package var broken: [String] = []

        /// Makes an empty report.
        package init() {}
    }

    private let move: PathMove
    private let adoptsCopies: Bool
    private let isPreview: Bool

    /// Makes a relocation.
    ///
    /// - Parameters:
    ///   - old: The folder until now, as an absolute path; it need not exist any more.
    ///   - new: The folder from now on, as an absolute path without links.
    ///   - adoptsCopies: True if the files were copied while nothing was writing them.
    ///   - isPreview: True to change nothing.
    package init(from old: String, to new: String, adoptsCopies: Bool, isPreview: Bool) {
        move = PathMove(from: old, to: new)
        (self.adoptsCopies, self.isPreview) = (adoptsCopies, isPreview)
    }

    /// Changes the list, then looks at the partial files; blocks.
    ///
    /// - Parameter path: The list.
    /// - Throws: `DownloadError` with code `catalogueBusy` or `catalogueFailed`; nothing has changed then.
    package func run(listAt path: String) throws(DownloadError) -> Report {
        let catalogue = try Catalogue.open(.file(path: path))
        defer { catalogue.close() }
        let moved = try catalogue.relocate(move, forgetsFiles: adoptsCopies, isPreview: isPreview)
        var report = Report()
        report.moved = moved.count
        for path in moved.compactMap(\.unfinishedPath) {
            do throws(DownloadError) {
                try look(at: path, &report)
            } catch {
                report.broken.append(error.description)
            }
        }
        return report
    }

    private func look(at path: String, _ report: inout Report) throws(DownloadError) {
        let partial = try MovedPartial(finalPath: path)
        switch partial.finding {
        case .none: break
        case .ready: report.ready += 1
        case .copied where !adoptsCopies: report.copied += 1
        case .copied:
            if !isPreview { try partial.adopt() }
            report.adopted += 1
        case .broken:
            report.broken.append("\(path): the partial file is incomplete, or its journal can't be used")
        }
    }
}
