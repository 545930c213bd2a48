import HaulCore
import HaulEngine
import HaulFiles
import HaulStore

/// Waiting for the network, or for another kind of network.
extension LocalManager {
    /// Listens to changes of the network, from the first download that depends on them until the manager is closed.
    func listenToNetwork() {
        guard networkMonitor == nil, !isClosing,
            short.values.contains(where: { $0.kind == .network || $0.kind == .metered })
                || live.values.contains(where: { $0.spec.networks == .unmetered })
        else { return }
        networkMonitor = NetworkMonitor { [mailbox] in mailbox.post(.networkChanged) }
        // The network may have changed before.
        mailbox.post(.networkChanged)
    }

    /// Looks whether a host of the downloads that wait for the network can be reached.
    ///
    /// Without a default route, only changes of the network are reported, and one may have come while the run ended.
    func lookForNetwork(in tasks: inout DiscardingTaskGroup) {
        let hosts = Set(short.values.lazy.filter { $0.kind == .network }.flatMap(\.hosts))
        guard !hosts.isEmpty, !configuration.network.hasRoute(), !isLookingForNetwork else { return }
        isLookingForNetwork = true
        tasks.addTask { [mailbox, probe = configuration.network] in
            let isThere = await BlockingQueue(label: "haul.network").run { hosts.contains { !probe.isCutOff($0) } }
            mailbox.post(.lookedForNetwork(isThere: isThere))
        }
    }

    /// Returns true if a download may not use the present network.
    func isBarred(_ spec: DownloadSpec) -> Bool {
        switch spec.networks {
        case .any: false
        case .unmetered: configuration.network.isMetered() == true
        }
    }

    /// Lets a download wait for another kind of network.
    func awaitOtherNetwork(_ id: DownloadID) {
        scheduler.ended(id)
        short[id] = Shortage(room: .unknown, folder: "", earliest: .now, kind: .metered)
    }

    /// Returns the downloads that wait for the network to the queue, after it has changed, and stops those that may not
    /// use the new one.
    ///
    /// If it is still missing for their hosts, they soon wait again.
    func networkChanged() {
        for (id, shortage) in short where shortage.kind == .network || shortage.kind == .metered {
            short[id] = nil
            enqueue(id)
        }
        for (id, entry) in live where entry.cleanup == nil && isBarred(entry.spec) {
            live[id]?.leavesMetered = true
            entry.stop.set()
        }
    }
}
