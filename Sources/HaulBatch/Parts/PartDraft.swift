/// An unfinished part: decides the names and the places of files, and the bytes around their contents.
package struct PartDraft: Hashable, Sendable {
    /// The number of files in one folder.
    static let filesPerFolder = 1000

    /// The place of a file, and what belongs around its content.
    package struct Placement: Hashable, Sendable {
        /// The bytes before the content in a tar; empty in a folder.
        package var head: [UInt8] = []
        /// The bytes after it in a tar; in a folder, the content of the other file.
        package var tail: [UInt8] = []
        /// The folder of the files, relative to the part; nil in a tar.
        package var folder: String?
        /// The name of the file with the row's data; nil in a tar.
        package var description: String?
    }

    /// The name of the part.
    package let name: PartName
    /// The form of the part.
    package let format: PartFormat
    /// The number of results.
    package private(set) var rows = 0
    /// The number of files.
    package private(set) var files = 0
    /// The length of the tar.
    package private(set) var end: Int64 = 0

    private let modified: Int64
    /// The keys in lower case: file systems that ignore it would have one file for two keys.
    private var keys: Set<String> = []

    /// Starts an empty part.
    ///
    /// - Parameter modified: The modification time of all files in a tar, in seconds since 1970.
    package init(_ name: PartName, _ format: PartFormat, modified: Int64) {
        (self.name, self.format, self.modified) = (name, format, modified)
    }

    /// Continues a part with the results that it has.
    package mutating func resume(_ lines: some Sequence<ResultLine>) {
        for line in lines {
            rows += 1
            guard let file = line.file else { continue }
            files += 1
            end = file.end ?? end
            _ = take(Self.key(of: file.member))
        }
    }

    /// Adds a result without a file.
    package mutating func add(_ result: RowResult) { rows += 1 }

    /// Adds a file: sets its place in the result.
    ///
    /// - Parameters:
    ///   - key: The key of its row.
    ///   - ending: The file name extension.
    package mutating func place(_ result: inout RowResult, key wanted: String, ending: String) -> Placement {
        let size = result.bytes ?? 0
        let key = unusedKey(wanted, row: result.row)
        let description = Self.description(result, key)
        var placement = Placement()
        switch format {
        case .tar:
            result.member = "\(key).\(ending)"
            TarHeader(name: "\(key).\(ending)", size: size, modified: modified).write(to: &placement.head)
            let offset = end + Int64(placement.head.count)
            result.offset = offset
            placement.tail += repeatElement(0, count: TarHeader.padding(size))
            let length = Int64(description.count)
            TarHeader(name: "\(key).json", size: length, modified: modified).write(to: &placement.tail)
            placement.tail += description
            placement.tail += repeatElement(0, count: TarHeader.padding(length))
            end = offset + size + Int64(placement.tail.count)
            result.end = end
        case .files:
            // Two files for each row.
            let folder = PartName.padded(files / (Self.filesPerFolder / 2), 3)
            result.member = "\(folder)/\(key).\(ending)"
            placement.folder = folder
            placement.description = "\(folder)/\(key).json"
            placement.tail = description
        }
        rows += 1
        files += 1
        return placement
    }

    /// Returns a key that no file of the part has in any letter case, and takes it: the wanted one, with the number of the
    /// row if it is taken, and with a second number if another row has that as its name.
    private mutating func unusedKey(_ wanted: String, row: Int64) -> String {
        if take(wanted) { return wanted }
        var key = "\(wanted)-\(row)"
        var number = 1
        while !take(key) {
            number += 1
            key = "\(wanted)-\(row)-\(number)"
        }
        return key
    }

    private mutating func take(_ key: String) -> Bool { keys.insert(key.lowercased()).inserted }

    /// Returns the key of a row's files, by the name of one of them.
    package static func key(of member: String) -> String {
        let name = member.split(separator: "/").last ?? ""
        return String(name.prefix { $0 != "." })
    }

    /// Returns the content of `KEY.json`.
    private static func description(_ result: RowResult, _ key: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes += #"{"key":"#.utf8
        JSONText.append(key, to: &bytes)
        bytes += #","id":"#.utf8
        switch result.identity {
        case .id(let id): JSONText.append(id, to: &bytes)
        case .number(let number, _): bytes += String(number).utf8
        }
        bytes += #","row":"#.utf8
        bytes += String(result.row).utf8
        bytes += #","url":"#.utf8
        JSONText.append(result.url, to: &bytes)
        bytes += #","final_url":"#.utf8
        JSONText.append(result.finalURL, to: &bytes)
        bytes += #","media_type":"#.utf8
        JSONText.append(result.mediaType, to: &bytes)
        bytes += #","bytes":"#.utf8
        JSONText.append(result.bytes, to: &bytes)
        bytes += #","sha256":"#.utf8
        JSONText.append(result.sha256, to: &bytes)
        if !result.columns.isEmpty {
            bytes.append(UInt8(ascii: ","))
            bytes += result.columns.utf8
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}
