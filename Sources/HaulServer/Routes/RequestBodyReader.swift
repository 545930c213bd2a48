import HTTPTypes
import HaulCore
import HummingbirdCore
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a request's body: so long at most, and in so much time.
enum RequestBodyReader {
    /// How long a body may take.
    static let maximum = Duration.seconds(30)

    /// The whole body.
    ///
    /// - Throws: `Refusal` with 413 or 408.
    static func read(_ body: RequestBody, limit: Int) async throws -> Data {
        try await withThrowingTaskGroup(of: Data?.self) { tasks in
            tasks.addTask { try await collect(body, limit: limit) }
            tasks.addTask {
                try await Task.sleep(for: maximum)
                return nil
            }
            defer { tasks.cancelAll() }
            guard let data = try await tasks.next() ?? nil else {
                throw Refusal(.requestTimeout, DownloadError(.timedOut, "the body of the request took too long"))
            }
            return data
        }
    }

    /// The refusal of a body beyond a limit.
    static func tooLarge(_ limit: Int) -> Refusal {
        Refusal(
            .contentTooLarge,
            DownloadError(.invalidRequest, "the body is larger than \(limit) bytes"))
    }

    private static func collect(_ body: RequestBody, limit: Int) async throws -> Data {
        var data = Data()
        for try await part in body {
            guard data.count + part.readableBytes <= limit else {
                throw tooLarge(limit)
            }
            data.append(contentsOf: part.readableBytesView)
        }
        return data
    }
}
