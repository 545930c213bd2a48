import HaulCore
import HaulFiles
import Synchronization

/// A file under the partial's name that is not known to be Haul's, another program's perhaps: it is moved out of the way.
extension FileSide {
    /// What was moved aside, and is to be told.
    struct Aside {
        /// Where it is now.
        let path: String
        /// Why it was.
        let reason: String
    }

    /// Before the partial is begun: moves away what stands in its place, and opens a new one.
    func makeWay() throws(DownloadError) {
        guard let old = partial, old.isForeign else { return }
        var reason = "no journal says that \(old.names.partial) is Haul's"
        if case .unusable(let why) = old.found { reason = why }
        state.withLock { $0.partial = nil }
        let aside = Aside(path: try old.moveAside(), reason: reason)
        state.withLock { $0.aside = aside }
        let source = sourceID
        let anew = try PartialFile.open(old.names, sourceID: source, resumes: spec.resumes, system: system)
        guard !anew.isForeign else {
            anew.close()
            throw DownloadError(
                .destinationBusy,
                "another program is writing \(old.names.partial): wait for it, or choose another name")
        }
        state.withLock { $0.partial = anew }
        // The beginning of a small file, which a killed run has left, may prove to be just that.
        if old.openedBytes > PartialFile.smallFileBytes { tellAside() }
    }

    /// Removes what was moved aside where the finished file shows that nothing is lost by it.
    func dropAside(_ final: String) {
        guard let aside = state.withLock({ $0.aside }) else { return }
        // What can't be compared or removed stays, and is told.
        if (try? PartialFile.dropAside(aside.path, ofFile: final, system: system)) == true {
            state.withLock { $0.aside = nil }
        }
        tellAside()
    }

    /// Tells once where what was moved aside is.
    func tellAside() {
        let aside = state.withLock { state in
            defer { state.aside = nil }
            return state.aside
        }
        if let aside { notify(.partialSetAside(reason: "\(aside.reason); what stood there is kept as \(aside.path)")) }
    }
}
