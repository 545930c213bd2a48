import Haul
import HaulCore
import HaulEngine

/// Verifies files one after another and reports each result as it is known.
struct VerifyRun: Sendable {
    /// The maximum size of a list file in bytes.
    static let listLimit = 64 << 20

    private let plan: VerifyPlan

    init(_ plan: VerifyPlan) { self.plan = plan }

    /// Verifies all files.
    ///
    /// - Returns: The exit code of the failures; `complete` if there are none.
    func run() async -> ExitCode {
        var failure: ExitCode?
        func note(_ path: String, _ result: Result<Verification, DownloadError>) {
            let report = VerifyReport(path: path, result: result)
            report.write(quiet: plan.quiet, json: plan.json)
            guard let code = report.exitCode else { return }
            failure = failure == nil || failure == code ? code : .mixed
        }
        do throws(DownloadError) {
            switch plan.standard {
            case .checksum(let checksum):
                for file in plan.files { note(file, await verify(file, FoundChecksum(checksum, .given))) }
            case .siblings: for file in plan.files { note(file, await verifyBySibling(file)) }
            case .source(let spec): for file in plan.files { note(file, await verify(file, spec)) }
            case .list(let list): try await verify(list, note)
            }
        } catch {
            note(plan.list ?? plan.files.first ?? "haul verify", .failure(error))
        }
        return failure ?? .complete
    }

    /// Verifies the files that a list names, or only those of them that were given.
    private func verify(
        _ list: String, _ note: (String, Result<Verification, DownloadError>) -> Void
    ) async throws(DownloadError) {
        let sums = try await read(list)
        if plan.files.isEmpty, let warning = Self.warning(of: list, sums) {
            OutputFile.standardError.write("haul: \(warning)\n")
        }
        if plan.files.isEmpty, sums.entries.contains(where: { $0.name == nil }) {
            let message = "it has a checksum without a file name: name the file, too"
            note(list, .failure(DownloadError(.invalidRequest, message)))
        }
        let names = names(in: sums, list)
        var missing: [String] = []
        for (name, path) in names {
            if plan.skipsMissing, let path, await FileVerifier.isMissing(path) {
                missing.append(name)
            } else {
                note(name, await verify(name, path, sums, list))
            }
        }
        guard let error = VerifyReport.missing(missing, of: names.count, isAllowed: plan.ignoresMissing) else { return }
        note(list, .failure(error))
    }

    private func read(_ list: String) async throws(DownloadError) -> ChecksumFile {
        let wait = InputWait(quiet: plan.quiet)
        let bytes = try await BlockingQueue(label: "haul.list").call { () throws(DownloadError) in
            try wait.reading([list]) { () throws(DownloadError) in
                try SmallFile(list, "the list of checksums", limit: Self.listLimit).bytes
            }
        }
        let sums = ChecksumFile(bytes)
        guard !sums.entries.isEmpty else {
            throw DownloadError(
                .invalidRequest, "no checksum in this list: expected lines such as \"HEX  NAME\"")
        }
        return sums
    }

    /// Returns the warning that a list has lines which are not verified; nil if it has none.
    static func warning(of list: String, _ sums: ChecksumFile) -> String? {
        guard sums.otherLines > 0 else { return nil }
        let lines =
            sums.otherLines == 1 ? "1 line is skipped: it has" : "\(sums.otherLines) lines are skipped: they have"
        return
            "\(TerminalText.printable(list)): \(lines) no checksum that can be verified (SHA-512, SHA-256, SHA-1 or MD5)"
    }

    /// Returns the name in the list and the path of each file to verify; the path is nil if it leads out of the list's
    /// folder.
    private func names(in sums: ChecksumFile, _ list: String) -> [(name: String, path: String?)] {
        if !plan.files.isEmpty { return plan.files.map { ($0, $0) } }
        var seen: Set<ByteKey> = []
        return sums.entries.compactMap(\.name).filter { seen.insert(ByteKey($0)).inserted }.map {
            ($0, VerifyPlan.path($0, listedIn: list))
        }
    }

    private func verify(
        _ name: String, _ path: String?, _ sums: ChecksumFile, _ list: String
    ) async -> Result<Verification, DownloadError> {
        guard let path else {
            return .failure(
                DownloadError(.invalidRequest, "the name leads out of the folder of \(list)"))
        }
        let last = name.pathComponents.last ?? name
        // The entry of this path is used even if it is in conflict with another one of the same path.
        let wanted = sums.names(name) ? name : last
        // A single line without a name belongs to the file that the user gives with the list.
        let isOnly = plan.files.count == 1
        guard let checksum = sums.checksum(of: wanted, isItsOwn: isOnly) else {
            return .failure(DownloadError(.invalidRequest, Self.noChecksum(of: wanted, in: list, sums)))
        }
        return await verify(path, FoundChecksum(checksum, .file(list)))
    }

    /// Returns the message that a list has no checksum of a file, or conflicting ones.
    private static func noChecksum(of name: String, in list: String, _ sums: ChecksumFile) -> String {
        guard !sums.names(name) else { return "conflicting checksums in \(list)" }
        let names = sums.entries.compactMap(\.name)
        let shown = TerminalText.printable(URLRedaction.quoted(names.first ?? "", width: 60))
        return "no checksum for \(name) in \(list)" + (names.count == 1 ? "; it has one for \(shown)" : "")
    }

    private func verify(_ path: String, _ wanted: FoundChecksum) async -> Result<Verification, DownloadError> {
        do throws(DownloadError) {
            try await FileVerifier.verify(path, wanted)
            return .success(.checksum(wanted.checksum, wanted.origin))
        } catch {
            return .failure(error)
        }
    }

    private func verify(_ path: String, _ spec: DownloadSpec) async -> Result<Verification, DownloadError> {
        do throws(DownloadError) {
            var spec = spec
            var configuration = EngineConfiguration()
            configuration.take(plan.network, try plan.network.readSecrets(.process, into: &spec), .process)
            let engine = try plan.network.engine(configuration)
            let result: Result<Verification, DownloadError>
            do throws(DownloadError) {
                result = .success(try Self.proof(try await engine.verify(path, against: spec)))
            } catch {
                result = .failure(error)
            }
            await engine.shutdown()
            return result
        } catch {
            return .failure(error)
        }
    }

    /// Throws an error if only the size was compared, which does not verify a file.
    private static func proof(_ verification: Verification) throws(DownloadError) -> Verification {
        switch verification {
        case .checksum, .pieces, .sizeAndDate: return verification
        case .size, .nothing:
            throw DownloadError(
                .invalidRequest, "not verified: the server sends neither a checksum nor both size and date for it")
        }
    }

    private func verifyBySibling(_ file: String) async -> Result<Verification, DownloadError> {
        let name = file.pathComponents.last ?? file
        let folder = file.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(Substring(file.utf8[...$0])) } ?? ""
        do throws(DownloadError) {
            _ = try await FileVerifier.facts(of: file)
            for location in ChecksumLocation.groups(for: name).joined() {
                let path = folder + location.name
                guard let found = try await checksum(of: name, at: path, location) else { continue }
                return await verify(file, FoundChecksum(found, .file(path)))
            }
        } catch {
            return .failure(error)
        }
        return .failure(
            DownloadError(
                .invalidRequest,
                ChecksumLocation.isListName(name)
                    ? "no checksum of this list itself: to check the files in it, write --checksums before its name"
                    : "no checksum found: give --checksum, --checksums or --url, or put SHA256SUMS into the same folder"
            ))
    }

    /// Returns the checksum of a file in a list beside it; nil if there is no such list, or it does not name the file.
    ///
    /// - Throws: `DownloadError` if the list can't be read or contradicts itself: a weaker one does not replace it.
    private func checksum(
        of name: String, at path: String, _ location: ChecksumLocation
    ) async throws(DownloadError) -> Checksum? {
        // A name that is too long is that of no list.
        guard location.name.utf8.count <= FileName.maximumByteCount,
            let bytes = try await FileVerifier.bytes(of: path, limit: Self.listLimit)
        else { return nil }
        let sums = ChecksumFile(bytes, algorithm: location.algorithm)
        if let checksum = sums.checksum(of: name, isItsOwn: location.isItsOwn) { return checksum }
        let isUnclear = location.isItsOwn && sums.entries.filter { $0.name == nil }.count > 1
        guard !isUnclear, !sums.names(name) else {
            throw DownloadError(.invalidRequest, "conflicting checksums in \(path)")
        }
        return nil
    }
}
