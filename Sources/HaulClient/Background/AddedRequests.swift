import HaulCore
import HaulWire

/// Specs to be sent to a daemon; those that cannot be sent have their errors already.
struct AddedRequests: Sendable {
    /// The requests that can be sent.
    private(set) var requests: [DownloadRequest] = []
    /// The outcome for each spec: success if it can be sent, or an error.
    private(set) var outcomes: [Result<Void, DownloadError>] = []
    /// The approximate size of the requests in bytes.
    private(set) var bytes = 0

    /// The number of specs.
    var count: Int { outcomes.count }

    /// Adds a spec.
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
