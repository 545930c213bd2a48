/// A run's place among the downloads that run at once.
///
/// A run that waits for its next attempt needs none: it gives its slot to the next download, and asks for one when the time has come.
/// All methods are called by one run, one at a time, and never wait.
package protocol RunSlot: Sendable {
    /// Gives the slot away until `reclaim` succeeds.
    ///
    /// - Returns: false if it has to be kept.
    func park() -> Bool

    /// Asks for a slot; it is asked again until there is one.
    ///
    /// - Returns: whether the run has a slot now.
    func reclaim() -> Bool
}
