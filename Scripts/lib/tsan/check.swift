// What `Scripts/tsan` asks ThreadSanitizer before it believes it: `locked` has no race, `racy` has one.

import Foundation
import Synchronization

final class Counters: Sendable {
    let guarded = Mutex(0)
    nonisolated(unsafe) var bare = 0
}

let counters = Counters()
let isRacy = CommandLine.arguments.dropFirst().first == "racy"
let done = DispatchSemaphore(value: 0)
for _ in 0..<4 {
    Thread.detachNewThread {
        for _ in 0..<20_000 {
            counters.guarded.withLock { $0 += 1 }
            _ = counters.guarded.withLockIfAvailable { $0 += 1 }
        }
        if isRacy { counters.bare += 1 }
        done.signal()
    }
}
for _ in 0..<4 { done.wait() }
