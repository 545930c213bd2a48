import HaulCore

extension LocalManager {
    func explanation(_ id: DownloadID) -> Explanation? { live[id]?.watch.explanation ?? recent[id] }
}
