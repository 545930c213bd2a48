import HaulCore
import HaulEngine

/// Waiting for the network.
extension LocalManager {
    /// Listens to changes of the network, from the first download that waits for it until the manager is closed.
    func listenToNetwork() {
        guard networkMonitor == nil, !isClosing, short.values.contains(where: { $0.kind == .network }) else { return }
        networkMonitor = NetworkMonitor { [mailbox] in mailbox.post(.networkChanged) }
        // The network may have come back before.
        mailbox.post(.networkChanged)
    }

    /// Returns the downloads that wait for the network to the queue, after it has changed.
    ///
    /// If it is still missing for their hosts, they soon wait again.
    func networkChanged() {
        for (id, shortage) in short where shortage.kind == .network {
            short[id] = nil
            enqueue(id)
        }
    }
}
