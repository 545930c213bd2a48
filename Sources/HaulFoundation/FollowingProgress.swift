import Foundation
import HaulCore
import HaulManager

/// A `Progress` that follows a download or several until it is released.
///
/// Foundation's class is thread-safe, and the task is set before the object is shared.
final class FollowingProgress: Progress, @unchecked Sendable {
    /// The values that a user interface shows.
    struct Values: Sendable, Equatable {
        var total: Int64 = -1
        var completed: Int64 = 0
        var speed = 0.0
        var secondsLeft: Double?
    }

    private var task: Task<Void, Never>?

    deinit { task?.cancel() }

    /// Creates a progress, and follows events until they end.
    ///
    /// - Parameters:
    ///   - control: Carries out what the caller asks the progress for.
    ///   - follow: Follows the events, and passes on each change; returns false if there is nobody to get it.
    static func make(
        control: @escaping @Sendable (DownloadVerb) async -> Void,
        follow: @escaping @Sendable (_ show: (Values) -> Bool) async -> Void
    ) -> Progress {
        let progress = FollowingProgress(parent: nil, userInfo: nil)
        progress.kind = .file
        progress.totalUnitCount = -1
        (progress.isPausable, progress.isCancellable) = (true, true)
        progress.pausingHandler = { Task { await control(.pause) } }
        progress.resumingHandler = { Task { await control(.resume) } }
        progress.cancellationHandler = { Task { await control(.cancel(keepPartial: true)) } }
        // The task does not keep the progress: it ends when nobody has it any more.
        progress.task = Task { [weak progress] in
            await follow { values in
                guard let progress else { return false }
                progress.show(values)
                return true
            }
        }
        return progress
    }

    private func show(_ values: Values) {
        // 0 of 0 is indeterminate as well, and swift-corelibs-foundation traps if a total becomes 0.
        let total = values.total == 0 ? -1 : values.total
        if totalUnitCount != total { totalUnitCount = total }
        if completedUnitCount != values.completed { completedUnitCount = values.completed }
        // The properties for both are missing on Linux.
        setUserInfoObject(Int(values.speed), forKey: .throughputKey)
        setUserInfoObject(values.secondsLeft, forKey: .estimatedTimeRemainingKey)
    }
}
