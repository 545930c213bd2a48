import HaulCore
import Synchronization

/// The hosts that an engine has to do with, and what was learned of them; in memory, for as long as the engine is.
final class HostTable: Sendable {
    /// Beyond so many, those that nobody uses are forgotten.
    private static let most = 1024

    private let origin = ContinuousClock.now
    private let doors = Mutex<[URLOrigin: HostDoor]>([:])

    /// The time that the governors go by.
    var now: Duration { ContinuousClock.now - origin }

    /// The door of a host, for one download.
    ///
    /// - Parameter wake: Called, on any thread, when the host grants more than before.
    func enter(_ host: URLOrigin, wake: @escaping @Sendable () -> Void) -> HostPlace {
        doors.withLock { doors in
            if doors.count >= Self.most, doors[host] == nil { doors = doors.filter { !$0.value.isIdle } }
            let door = doors[host] ?? HostDoor()
            doors[host] = door
            // Inside the lock, so that nobody forgets the door in between.
            return HostPlace(door: door, user: door.join(wake))
        }
    }

    /// Gives a place back.
    func leave(_ place: HostPlace, _ host: URLOrigin) {
        place.door.leave(place.user, now: now)
        guard place.door.isBlank else { return }
        doors.withLock { doors in
            if doors[host]?.isBlank == true { doors[host] = nil }
        }
    }
}

/// A download among those that use a host.
struct HostPlace: Sendable {
    let door: HostDoor
    let user: Int
}
