import HTTPTypes
import HaulCore
import HaulFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of a system session: what was delivered and is not verified, and resume data.
///
/// For download 7, `7.file` is what the system has delivered, `7.head` the response, and `7.resume` the data to continue
/// from. After a kill at any instant, each of them is complete or counts as missing.
struct SessionFolder: Sendable {
    /// The response with which a file came.
    struct Head: Hashable, Codable {
        var source: String
        var url: String?
        var status: Int
        var fields: [[String]]
        var size: Int64
    }

    /// Data to continue from.
    struct Resume: Hashable, Codable {
        var source: String
        /// The strong validator of the bytes.
        var version: String
        /// The number of bytes that were received.
        var received: Int64
        var data: Data
    }

    let path: String
    let system: SystemCalls

    func file(_ id: DownloadID) -> String { "\(path)/\(id).file" }
    private func head(_ id: DownloadID) -> String { "\(path)/\(id).head" }
    private func resume(_ id: DownloadID) -> String { "\(path)/\(id).resume" }

    /// Returns the files and resume data that exist, and removes what is incomplete.
    func read() -> (files: [DownloadID: Head], resumeData: [DownloadID: Resume]) {
        var (files, resumeData): ([DownloadID: Head], [DownloadID: Resume]) = ([:], [:])
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            let parts = name.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, let number = Int64(parts[0]) else { continue }
            let id = DownloadID(rawValue: number)
            switch parts[1] {
            case "head": files[id] = storedHead(id)
            case "resume": resumeData[id] = self[resumeDataOf: id]
            case "file" where storedHead(id) == nil: try? system.unlink(file(id))
            // Written, but not in its place when the process was killed.
            case "head.new", "resume.new": try? system.unlink("\(path)/\(name)")
            default: break
            }
        }
        return (files, resumeData)
    }

    /// Returns the response of a file.
    ///
    /// If the file is missing or has another size, the response is removed, and the result is nil.
    private func storedHead(_ id: DownloadID) -> Head? {
        let head: Head? = decoded(head(id))
        let status = (try? system.status(atPath: file(id))).flatMap(\.self)
        if let head, status?.kind == .regular, status?.size == head.size { return head }
        try? system.unlink(self.head(id))
        return nil
    }

    /// Moves a file that the system has delivered into the folder; afterwards, it survives a power failure there.
    func keep(_ delivered: String, _ id: DownloadID, _ head: Head) throws(FileError) {
        // The head first: a file without one is removed, and a head without its file as well.
        try write(head, to: self.head(id))
        let data = try system.open(delivered, .read)
        try system.sync(data)
        try system.rename(delivered, to: file(id))
        try system.syncFolder(path)
    }

    /// Returns the size of a file.
    func size(of path: String) throws(FileError) -> Int64 {
        guard let status = try system.status(atPath: path) else { throw FileError(.status, path, 2) }
        return status.size
    }

    subscript(resumeDataOf id: DownloadID) -> Resume? { decoded(resume(id)) }

    func store(_ data: Resume, _ id: DownloadID) throws(FileError) { try write(data, to: resume(id)) }

    func dropFile(_ id: DownloadID) {
        // What can't be removed now is removed at the next launch, when the download is not wanted.
        try? system.unlink(file(id))
        try? system.unlink(head(id))
    }

    func dropResumeData(_ id: DownloadID) { try? system.unlink(resume(id)) }

    private func decoded<Value: Decodable>(_ path: String) -> Value? {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return try? JSONDecoder().decode(Value.self, from: data)
    }

    private func write(_ value: some Encodable, to path: String) throws(FileError) {
        // Neither value has anything that can't be encoded.
        let bytes = [UInt8]((try? JSONEncoder().encode(value)) ?? Data())
        let file = try system.open("\(path).new", .createEmpty)
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        try system.write(file, unsafe bytes.span.bytes, at: 0)
        try system.sync(file)
        try system.rename("\(path).new", to: path)
    }
}

extension SessionFolder.Head {
    /// Stores a response.
    init(_ response: HTTPResponse, url: String?, source: String, size: Int64) {
        self.init(
            source: source, url: url, status: response.status.code,
            fields: response.headerFields.map { [$0.name.rawName, $0.value] }, size: size)
    }

    /// The response.
    var response: HTTPResponse {
        var result = HTTPResponse(status: HTTPResponse.Status(code: status))
        for field in fields where field.count == 2 {
            guard let name = HTTPField.Name(field[0]) else { continue }
            result.headerFields.append(HTTPField(name: name, value: field[1]))
        }
        return result
    }
}
