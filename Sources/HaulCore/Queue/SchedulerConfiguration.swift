/// The rules of a scheduler that can change while it works.
package struct SchedulerConfiguration: Hashable, Sendable {
    /// How many downloads run at once; nil: any number; 0: none starts.
    package var limit: Int? = 3
    /// Which of two downloads of the same priority comes first.
    package var order = QueueOrder.fifo
    /// How many downloads of one host run at once; nil: any number.
    package var hostLimit: Int?

    /// Makes the rules that hold where nobody says otherwise: three at once, in the order of the list.
    package init() {}
}
