import Observation

/// Returns when a condition on observed properties holds, or the task is cancelled, as by a time limit.
@MainActor
func until(_ condition: @MainActor () -> Bool) async {
    while !condition(), !Task.isCancelled {
        let (changes, change) = AsyncStream<Void>.makeStream()
        withObservationTracking {
            _ = condition()
        } onChange: {
            change.finish()
        }
        for await _ in changes {}
    }
}

/// Counts the changes of observed properties.
@MainActor
final class ChangeCounter {
    private(set) var count = 0
    private let read: @MainActor () -> Void

    init(_ read: @escaping @MainActor () -> Void) {
        self.read = read
        track()
    }

    private func track() {
        withObservationTracking {
            read()
        } onChange: { [weak self] in
            MainActor.assumeIsolated { self?.count += 1 }
            Task { @MainActor [weak self] in self?.track() }
        }
    }
}
