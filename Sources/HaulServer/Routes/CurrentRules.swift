package import Haul
import HaulCore
import Synchronization

/// The current rules of the configuration: one value for the routes and for the manager.
package final class CurrentRules: Sendable {
    private let current: Mutex<DaemonState.Rules>

    /// Makes the rules at start.
    package init(_ rules: DaemonState.Rules) { current = Mutex(rules) }

    /// The rules.
    package var rules: DaemonState.Rules { current.withLock { $0 } }

    /// Changes the rules.
    package func change(_ change: (inout DaemonState.Rules) -> Void) { current.withLock { change(&$0) } }

    /// The rule that restricts a manager to the roots, including for downloads that were added under other roots.
    package var folderRule: FolderRule {
        FolderRule { [self] folder in
            let roots = rules.roots
            return roots.admits(folder) ? nil : roots.outside(folder)
        }
    }
}
