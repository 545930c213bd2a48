package import HaulCore
import HaulDigest
import HaulFiles

/// Digests of bytes in memory.
package enum Digests {
    /// Returns the SHA-256.
    package static func sha256(_ bytes: [UInt8]) throws -> Checksum {
        var digest = StreamingDigest(.sha256)
        // The buffer is valid for the whole closure.
        unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        return try Checksum(.sha256, hex: digest.finalize())
    }
}

extension Result where Failure == DownloadError {
    /// The code that it failed with.
    package var code: DownloadError.Code? {
        error?.code
    }

    /// The error that it failed with.
    package var error: DownloadError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// Runs `body` and gives the code of the error that it throws, nil where it throws none.
package func code(_ body: () async throws -> Void) async -> DownloadError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? DownloadError)?.code ?? .internal
    }
}
