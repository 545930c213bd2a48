import Synchronization

/// Something that is off until it is turned on.
final class Switch: Sendable {
    private let state = Atomic(false)
    var isOn: Bool { state.load(ordering: .acquiring) }
    func turnOn() { state.store(true, ordering: .releasing) }
}
