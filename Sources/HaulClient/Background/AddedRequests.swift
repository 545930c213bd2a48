import HaulCore
import HaulWire

/// Specs on their way to a daemon: what can't be sent has its error already.
struct AddedRequests: Sendable {
    /// Those that can be sent.
    private(set) var requests: [DownloadRequest] = []
    /// What each spec came to: sent, or an error.
    private(set) var outcomes: [Result<Void, DownloadError>] = []
    /// About how many bytes they take.
    private(set) var bytes = 0

    /// How many specs there are.
    var count: Int { outcomes.count }

    /// Takes a spec.
    mutating func add(_ spec: DownloadSpec, _ ownership: Ownership) {
        do throws(DownloadError) {
            let request = try DownloadRequest(sending: ownership.marked(spec))
            bytes += try WireJSON.encode(request).count + 1
            requests.append(request)
            outcomes.append(.success(()))
        } catch {
            outcomes.append(.failure(error))
        }
    }
}
