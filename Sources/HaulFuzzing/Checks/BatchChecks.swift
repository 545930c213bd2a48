import HaulBatch

/// Properties of the files of data sets: manifests, results, tars, and what servers say to robots.
enum BatchChecks {
    // MARK: Manifests

    /// Checks JSON lines.
    static func jsonLines(_ bytes: [UInt8]) throws(FuzzFinding) { try manifest(bytes, .jsonl) }

    /// Checks fields separated by commas.
    static func commas(_ bytes: [UInt8]) throws(FuzzFinding) { try manifest(bytes, .csv) }

    /// Checks fields separated by tabs, and plain lists, which have the same lines.
    static func tabs(_ bytes: [UInt8]) throws(FuzzFinding) {
        try manifest(bytes, .tsv)
        try manifest(bytes, .list)
    }

    /// Checks a manifest: rows do not depend on chunking, each is accounted for, and each can be written as a result that
    /// is read back.
    private static func manifest(_ bytes: [UInt8], _ format: ManifestFormat) throws(FuzzFinding) {
        for columns in [ManifestColumns(), ManifestColumns(name: "name")] { try manifest(bytes, format, columns) }
    }

    private static func manifest(
        _ bytes: [UInt8], _ format: ManifestFormat, _ columns: ManifestColumns
    ) throws(FuzzFinding) {
        let (rows, isWhole) = rows(of: bytes, format, columns, chunk: max(1, bytes.count))
        for chunk in [1, 7] {
            let other = Self.rows(of: bytes, format, columns, chunk: chunk)
            try claim(
                other.rows == rows && other.isWhole == isWhole, "rows do not depend on how they arrive, by \(chunk)")
        }
        for (number, row) in rows.enumerated() {
            try claim(row.number == Int64(number), "rows are numbered without gaps: \(row)")
            try claim(row.problem != nil || !row.url.isEmpty, "a row without a URL has a problem: \(row)")
            try claimReadBack(row)
            let key = MemberKey.key(of: row)
            try claim(
                !key.isEmpty && key.utf8.count <= 140 && key.utf8.allSatisfy(isPlain)
                    && key.utf8.first != UInt8(ascii: "-"), "a key is a file name without dots: \(key)")
        }
    }

    private static func claimReadBack(_ row: ManifestRow) throws(FuzzFinding) {
        for state in RowState.allCases {
            var result = RowResult(row, state, error: state == .ok ? nil : "code", message: row.problem)
            (result.bytes, result.sha256, result.member, result.offset, result.end) = (3, "00", "a.b", 512, 1536)
            var line: [UInt8] = []
            result.write(to: &line)
            try claim(line.firstIndex(of: 0x0A) == line.count - 1, "a result is one line")
            for readsFile in [true, false] {
                let read = ResultLine(line.dropLast(), readsFile: readsFile)
                try claim(
                    read?.identity.fingerprint == row.identity.fingerprint, "an identity is read back: \(row.identity)")
                try claim(read?.state == state, "a state is read back")
                try claim((read?.file != nil) == (readsFile && state == .ok), "only a row that is ok has a file")
            }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func rows(
        of bytes: [UInt8], _ format: ManifestFormat, _ columns: ManifestColumns, chunk: Int
    ) -> (rows: [ManifestRow], isWhole: Bool) {
        var reader = ManifestReader(format, columns)
        var rows: [ManifestRow] = []
        do throws(ManifestReader.Fault) {
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                reader.append(Array(bytes[start..<min(start + chunk, bytes.count)]))
                while let row = try reader.next() { rows.append(row) }
            }
            reader.append([])
            while let row = try reader.next() { rows.append(row) }
            return (rows, true)
        } catch {
            return (rows, false)
        }
    }

    // MARK: Parts

    /// Checks the results of an unfinished part: what is kept are whole lines, files lie one behind the other in the tar,
    /// and a second recovery keeps all of it.
    static func results(_ bytes: [UInt8]) throws(FuzzFinding) {
        for (format, length) in [(PartFormat.tar, Int64(1 << 20)), (.tar, 0), (.files, 0)] {
            let found = PartRecovery(results: bytes, format: format, dataLength: length) { _, _ in true }
            let kept = bytes.prefix(found.resultBytes)
            try claim(kept.count == found.resultBytes && (kept.isEmpty || kept.last == 0x0A), "whole lines are kept")
            try claim(kept.count { $0 == 0x0A } == found.lines.count, "one line for each result")
            try claim((0...length).contains(found.dataBytes), "the valid data is in the tar: \(found.dataBytes)")
            var end: Int64 = 0
            for case let file? in found.lines.map(\.file) where format == .tar {
                guard let offset = file.offset, let next = file.end else { throw FuzzFinding("a file has a place") }
                try claim(offset > end && next >= offset + file.bytes && file.bytes >= 0, "files do not overlap")
                end = next
            }
            let again = PartRecovery(results: Array(kept), format: format, dataLength: found.dataBytes) { _, _ in true }
            try claim(again == found, "a second recovery keeps everything")
            var draft = PartDraft(PartName(shard: 0, part: 0), format, modified: 0)
            draft.resume(found.lines)
            try claim(draft.rows == found.lines.count && draft.end == found.dataBytes, "a part is continued at its end")
        }
    }

    /// Checks a tar: each header is behind the one before, whatever it says.
    static func tar(_ bytes: [UInt8]) throws(FuzzFinding) {
        var walk = TarWalk()
        func slice(_ offset: Int64, _ count: Int64) -> ArraySlice<UInt8> {
            guard offset < Int64(bytes.count) else { return [] }
            return bytes[Int(offset)...].prefix(Int(count))
        }
        while true {
            let position = walk.position
            let step: TarWalk.Step
            do throws(TarWalk.Fault) {
                step = try walk.read(slice(position, Int64(TarHeader.block)))
                if case .extend(let offset, let size) = step { try walk.extend(slice(offset, min(size, 1 << 20))) }
            } catch {
                return try claim(!error.problem.isEmpty, "a fault says what is wrong")
            }
            switch step {
            case .end: return
            case .extend(_, let size): try claim(size >= 0 && size <= 1 << 20, "an extension is small: \(size)")
            case .file(_, let offset, let size):
                try claim(offset > position && size >= 0, "a file has a place: \(offset), \(size)")
                try claim(walk.position >= offset + size, "the next header is behind the file")
            }
            try claim(walk.position > position, "a walk never stands still")
        }
    }

    // MARK: Robots

    /// Checks robots.txt: the first line is the path; comments and line ends change nothing, and a rule for all paths
    /// allows only what another rule allows.
    static func robots(_ path: String, _ text: String) throws(FuzzFinding) {
        let path = "/" + path.prefix(200)
        let rules = RobotsText(text.utf8, agent: "haul")
        let allows = rules.allows(path)
        let commented = text.split(separator: "\n", omittingEmptySubsequences: false).map { "\($0)# a: b" }
        let other = RobotsText(commented.joined(separator: "\r\n\r\n").utf8, agent: "haul")
        if commented.joined(separator: "\r\n\r\n").utf8.count <= RobotsText.limit {
            try claim(other.allows(path) == allows, "comments and line ends change nothing")
        }
        let closed = RobotsText("User-agent: haul\nDisallow: /\n".utf8, agent: "haul")
        try claim(!closed.allows(path), "a rule for all paths is for each: \(path)")
        try claim(RobotsText.allowed.allows(path), "without a file, everything is allowed")
    }
}
