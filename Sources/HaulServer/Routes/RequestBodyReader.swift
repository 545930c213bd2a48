import HTTPTypes
import HaulCore
import HummingbirdCore
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the body of a request, with a size and a time limit.
enum RequestBodyReader {
    /// The maximum time for a body.
    static let maximum = Duration.seconds(30)

    /// Returns the whole body.
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

    /// Returns the refusal of a body that is too large.
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
