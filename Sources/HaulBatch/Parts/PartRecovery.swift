/// The results and bytes of an unfinished part that are valid after its run was killed.
///
/// A result line is written after the bytes that it describes. So the valid part ends at the last whole line whose file is
/// there with its digest; bytes and lines after that are dropped, and their rows are fetched again.
package struct PartRecovery: Hashable, Sendable {
    /// The valid results, in order.
    package private(set) var lines: [ResultLine] = []
    /// The number of bytes of the results that are valid.
    package private(set) var resultBytes = 0
    /// The length of the tar that is valid; 0 in a folder.
    package private(set) var dataBytes: Int64 = 0

    /// Reads the results of a part.
    ///
    /// - Parameters:
    ///   - results: The bytes of `results.jsonl`, with or without a torn last line.
    ///   - dataLength: The length of the tar; nil in a folder.
    ///   - hasFile: Returns true if a file is in the part with its size and digest, and with what is around it in a tar, from
    ///     `start` on.
    package init(
        results: [UInt8], format: PartFormat, dataLength: Int64, hasFile: (ResultLine.File, _ start: Int64) -> Bool
    ) {
        var start = 0
        while let end = results[start...].firstIndex(of: 0x0A) {
            guard let line = ResultLine(results[start..<end]) else { return }
            if let file = line.file {
                guard isNext(file, format, dataLength), hasFile(file, dataBytes) else { return }
                dataBytes = file.end ?? 0
            }
            lines.append(line)
            start = end + 1
            resultBytes = start
        }
    }

    /// Returns true if a file lies behind those before it.
    private func isNext(_ file: ResultLine.File, _ format: PartFormat, _ length: Int64) -> Bool {
        guard format == .tar else { return file.offset == nil && file.end == nil }
        guard let offset = file.offset, let end = file.end, file.bytes >= 0 else { return false }
        return offset > dataBytes && end > offset && end <= length && file.bytes <= end - offset
    }
}
