/// The end of a row.
package enum RowState: String, Hashable, Sendable, CaseIterable {
    /// The file is in the part.
    case ok
    /// It could not be fetched; another run may succeed.
    case failed
    /// It must not or can't be fetched: a filter, or an invalid row.
    case refused
}

/// The result of a row: one line of `results.jsonl`.
package struct RowResult: Hashable, Sendable {
    /// The identity of the row.
    package var identity: RowIdentity
    /// The number of the row in its manifest, from 0.
    package var row: Int64
    /// The end.
    package var state: RowState
    /// The code of the error, such as `notFound`; nil if there is none.
    package var error: String?
    /// The message of the error; nil if there is none.
    package var message: String?
    /// The URL in the manifest, without user and password.
    package var url: String
    /// The URL of the response, after redirects; nil if there was none.
    package var finalURL: String?
    /// The HTTP status of the last response; nil if there was none.
    package var status: Int?
    /// The size of the file in bytes.
    package var bytes: Int64?
    /// The media type of the file.
    package var mediaType: String?
    /// The SHA-256 of the file in hexadecimal.
    package var sha256: String?
    /// The name of the file in the part.
    package var member: String?
    /// The offset of the file's content in the tar.
    package var offset: Int64?
    /// The offset behind the row's last member in the tar.
    package var end: Int64?
    /// The time from the start of the first request to the end, in milliseconds.
    package var milliseconds: Int64 = 0
    /// The number of attempts.
    package var attempts = 0
    /// The other columns of the row, as members of a JSON object.
    package var columns = ""

    /// Creates the result of a row without a file.
    package init(_ row: ManifestRow, _ state: RowState, error: String? = nil, message: String? = nil) {
        (identity, self.row, url, columns) = (row.identity, row.number, row.publicURL, row.columns)
        (self.state, self.error, self.message) = (state, error, message)
    }
}

extension RowResult {
    /// Appends the line, with its line break.
    ///
    /// State and error come first, so that an index is made without reading the rest.
    package func write(to bytes: inout [UInt8]) {
        bytes += #"{"id":"#.utf8
        switch identity {
        // A number is the number of the row; an id is always a string.
        case .id(let id): JSONText.append(id, to: &bytes)
        case .number(let number, _): bytes += String(number).utf8
        }
        bytes += #","row":"#.utf8
        bytes += String(row).utf8
        bytes += #","url":"#.utf8
        JSONText.append(url, to: &bytes)
        bytes += #","state":""#.utf8
        bytes += state.rawValue.utf8
        bytes += #"","error":"#.utf8
        JSONText.append(error, to: &bytes)
        bytes += #","message":"#.utf8
        JSONText.append(message, to: &bytes)
        bytes += #","final_url":"#.utf8
        JSONText.append(finalURL, to: &bytes)
        bytes += #","status":"#.utf8
        JSONText.append(status.map(Int64.init), to: &bytes)
        bytes += #","bytes":"#.utf8
        JSONText.append(self.bytes, to: &bytes)
        bytes += #","media_type":"#.utf8
        JSONText.append(mediaType, to: &bytes)
        bytes += #","sha256":"#.utf8
        JSONText.append(sha256, to: &bytes)
        bytes += #","member":"#.utf8
        JSONText.append(member, to: &bytes)
        bytes += #","offset":"#.utf8
        JSONText.append(offset, to: &bytes)
        bytes += #","end":"#.utf8
        JSONText.append(end, to: &bytes)
        bytes += #","seconds":"#.utf8
        bytes += Self.seconds(milliseconds).utf8
        bytes += #","attempts":"#.utf8
        bytes += String(attempts).utf8
        bytes += #","columns":{"#.utf8
        bytes += columns.utf8
        bytes += "}}\n".utf8
    }

    /// Returns milliseconds as seconds with three digits.
    private static func seconds(_ milliseconds: Int64) -> String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return "\(whole).\(rest < 100 ? rest < 10 ? "00" : "0" : "")\(rest)"
    }
}

/// The members of a result line that a program needs to resume, retry and check.
package struct ResultLine: Hashable, Sendable {
    /// The identity of the row.
    package var identity: RowIdentity
    /// The number of the row in its manifest, from 0; nil if the line does not say it.
    package var row: Int64?
    /// The end.
    package var state: RowState
    /// The code of the error; nil if there is none.
    package var error: String?
    /// The place of the file; nil if there is none.
    package var file: File?

    /// The place and the digest of a file in its part.
    package struct File: Hashable, Sendable {
        /// The name of the file.
        package var member: String
        /// The size in bytes.
        package var bytes: Int64
        /// The SHA-256 in hexadecimal.
        package var sha256: String
        /// The offset of the content in the tar; nil in a folder.
        package var offset: Int64?
        /// The offset behind the row's last member in the tar; nil in a folder.
        package var end: Int64?
    }

    /// True for a row that could not be fetched as it was in the manifest.
    package var isInvalid: Bool { state == .refused && error == RowRefusal.invalidRow }

    /// Reads a line without its line break; nil if it is not a whole result.
    ///
    /// - Parameter readsFile: False to stop after the state, which is faster.
    package init?(_ bytes: ArraySlice<UInt8>, readsFile: Bool = true) {
        guard bytes.last == UInt8(ascii: "}") else { return nil }
        // Other programs could not read the line.
        if readsFile, String(validating: bytes, as: UTF8.self) == nil { return nil }
        var (id, url): (JSONMembers.Value?, JSONMembers.Value?) = (nil, nil)
        var (state, error): (RowState?, String?) = (nil, nil)
        var (member, sha256, size): (String?, String?, Int64?) = (nil, nil, nil)
        var (offset, end, isWhole): (Int64?, Int64?, Bool) = (nil, nil, false)
        do throws(JSONMembers.Fault) {
            var members = try JSONMembers(bytes)
            reading: while let next = try members.next() {
                switch next.name {
                case "id": id = next.value
                case "row": row = next.value.integer
                case "url": url = next.value
                case "state": state = next.value.string.flatMap(RowState.init)
                case "error":
                    error = next.value.string
                    if !readsFile { break reading }
                case "member": member = next.value.string
                case "sha256": sha256 = next.value.string
                case "bytes": size = next.value.integer
                case "offset": offset = next.value.integer
                case "end": end = next.value.integer
                case "columns": isWhole = true
                default: continue
                }
            }
        } catch {
            return nil
        }
        guard let state, let url, url.raw.first == UInt8(ascii: "\""), let id else { return nil }
        if let text = id.string {
            identity = .id(text)
        } else if let number = id.integer, let url = url.string {
            identity = .number(number, url: url)
        } else {
            return nil
        }
        (self.state, self.error) = (state, error)
        guard readsFile else { return }
        guard isWhole else { return nil }
        guard state == .ok else { return }
        guard let member, let size, let sha256 else { return nil }
        file = File(member: member, bytes: size, sha256: sha256, offset: offset, end: end)
    }
}
