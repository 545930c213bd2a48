package import Haul
import HaulCore
import Synchronization

/// What the configuration allows now: one value for the routes and for the manager.
package final class CurrentRules: Sendable {
    private let current: Mutex<DaemonState.Rules>

    /// Makes it from the rules at the start.
    package init(_ rules: DaemonState.Rules) { current = Mutex(rules) }

    /// The rules.
    package var rules: DaemonState.Rules { current.withLock { $0 } }

    /// Changes the rules.
    package func change(_ change: (inout DaemonState.Rules) -> Void) { current.withLock { change(&$0) } }

    /// Has a manager write inside the roots alone, also for what was added under other roots.
    package var folderRule: FolderRule {
        FolderRule { [self] folder in
            let roots = rules.roots
            return roots.admits(folder) ? nil : roots.outside(folder)
        }
    }
}
