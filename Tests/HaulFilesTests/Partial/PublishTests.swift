import Foundation
import HaulCore
import HaulFiles
import HaulTesting
import Testing

/// The last step: from `NAME.part` to `NAME`.
@Suite struct PublishTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A small file that is complete but for its name.
    func complete(
        _ bytes: [UInt8] = [1, 2, 3], name: String = "file.bin", total: Int64?, system: SystemCalls = .quick()
    ) throws -> PartialFile {
        let partial = try PartialFile.open(
            finalPath: folder.path(name), sourceID: "source", resumes: true, system: system)
        let slots = try partial.begin(total: total, etag: nil, lastModified: nil)
        try partial.write(bytes, at: 0)
        try partial.record(slot: slots[0], written: Int64(bytes.count))
        return partial
    }

    func publish(_ partial: PartialFile, _ policy: ConflictPolicy = .fail, total: Int64 = 3) throws -> String {
        defer { partial.close() }
        return try partial.publish(policy: policy, modified: 86_400, total: total) { folder.path("file (\($0)).bin") }
    }

    @Test(arguments: ConflictPolicy.allCases, [3, nil] as [Int64?])
    func freeName(policy: ConflictPolicy, total: Int64?) throws {
        #expect(try publish(complete(total: total), policy) == folder.path("file.bin"))
        #expect(folder.bytes("file.bin") == [1, 2, 3])
        #expect(folder.names == ["file.bin"])
        #expect(try ExistingFile.at(folder.path("file.bin")) == .regular(size: 3, modifiedSeconds: 86_400))
    }

    @Test("control files of other programs go with the file that they describe, and only those")
    func staleControls() throws {
        func complete() throws -> PartialFile {
            try folder.put([9], "file.bin")
            try folder.put(ControlFiles.aria2, "file.bin.aria2")
            try folder.put(ControlFiles.axel, "file.bin.st")
            return try self.complete(total: 3)
        }
        #expect(try publish(complete(), .replace) == folder.path("file.bin"))
        #expect(folder.names == ["file.bin"] && folder.bytes("file.bin") == [1, 2, 3])
        // Changed, or new, since the run began; and text under axel's ending.
        let partial = try complete()
        try folder.put([0, 1], "file.bin.aria2")
        _ = try publish(partial, .replace)
        #expect(folder.names == ["file.bin", "file.bin.aria2"])
        try FileManager.default.removeItem(atPath: folder.path("file.bin.aria2"))
        let other = try self.complete(total: 3)
        try folder.put(Array("Object subclass".utf8), "file.bin.st")
        try folder.put(ControlFiles.aria2, "file.bin.aria2")
        _ = try publish(other, .keep)
        #expect(folder.names == ["file.bin", "file.bin.aria2", "file.bin.st"])
        _ = try publish(self.complete(total: 3), .replace)
        #expect(folder.names == ["file.bin", "file.bin.st"])
        // Files of another kind are the user's.
        try folder.put([0], "file.bin.aria2")
        _ = try publish(self.complete(total: 3), .replace)
        #expect(folder.names == ["file.bin", "file.bin.aria2", "file.bin.st"])
        // Nothing was replaced: they may belong to a file that has been moved away.
        try FileManager.default.removeItem(atPath: folder.path("file.bin"))
        try folder.put(ControlFiles.aria2, "file.bin.aria2")
        _ = try publish(self.complete(total: 3), .replace)
        #expect(folder.names == ["file.bin", "file.bin.aria2", "file.bin.st"])
    }

    /// A file of another program that has the journal's name since the partial was opened.
    @Test(arguments: [1 << 20, 3, nil] as [Int64?])
    func aForeignJournalThatAppearsIsNotTouched(total: Int64?) throws {
        let partial = try PartialFile.open(finalPath: folder.path("file.bin"), sourceID: "source", resumes: true)
        try folder.put([1, 2, 3], "file.bin.part.haul")
        let error = #expect(throws: DownloadError.self) {
            try partial.begin(total: total, etag: nil, lastModified: nil)
        }
        #expect(error?.code == .destinationExists)
        partial.close()
        #expect(folder.names == ["file.bin.part.haul"] && folder.bytes("file.bin.part.haul") == [1, 2, 3])
    }

    /// A run that looks whether there is anything to clear away, while the one that published does so itself.
    @Test func leftoversThatGoMeanwhile() throws {
        let journal = folder.path("file.bin.part.haul")
        try folder.put([], "file.bin.part.haul")
        let partial = try PartialFile.open(finalPath: folder.path("file.bin"), sourceID: "source", resumes: true)
        #expect(folder.names == ["file.bin.part", "file.bin.part.haul"])
        try FileManager.default.removeItem(atPath: journal)
        partial.close()
        #expect(folder.names == [])
    }

    /// A process that is killed right after the rename leaves the journal, whole or as an empty mark.
    @Test(arguments: [nil, 3] as [Int64?])
    func leftoversOfAKilledPublication(total: Int64?) throws {
        let journal = folder.path("file.bin.part.haul")
        let partial = try complete(total: total)
        let bytes = try #require(folder.bytes("file.bin.part.haul"))
        _ = try publish(partial)
        for content in [bytes, []] {
            try folder.put(content, "file.bin.part.haul")
            PartialFile.removeLeftovers(PartialNames(final: folder.path("file.bin")))
            #expect(folder.names == ["file.bin"])
        }
        // One that describes another file stays, since its partial may come back.
        try folder.put([1, 2, 3], "other")
        let other = try complete([9], total: nil)
        other.close()
        try FileManager.default.removeItem(atPath: folder.path("file.bin.part"))
        PartialFile.removeLeftovers(PartialNames(final: folder.path("file.bin")))
        #expect(FileManager.default.fileExists(atPath: journal))
        #expect(folder.names == ["file.bin", "file.bin.part.haul", "other"])
    }

    @Test func emptyFile() throws {
        #expect(try publish(complete([], total: 0), total: 0) == folder.path("file.bin"))
        #expect(folder.bytes("file.bin") == [])
    }

    @Test(arguments: [nil, EINVAL, ENOSYS] as [Int32?])
    func takenNameIsNotTouched(renameFails: Int32?) throws {
        try folder.put([9], "file.bin")
        let faults = SystemCallFaults(every: .renameNoReplace, renameFails.map { .fail($0) } ?? .proceed)
        let error = #expect(throws: DownloadError.self) { try publish(complete(total: nil, system: faults.system())) }
        #expect(error?.code == .destinationExists)
        #expect(error?.message.contains("file.bin.part") == true)
        #expect(folder.bytes("file.bin") == [9])
        #expect(folder.bytes("file.bin.part") == [1, 2, 3])
    }

    /// A name that is taken between the look and the move, with each of the three ways to move.
    @Test(arguments: [[], [.renameNoReplace]] as [[SystemCall.Kind]])
    func nameThatIsTakenInTheLastMomentIsNotTouched(missing: [SystemCall.Kind]) throws {
        let folder = folder
        let race = SystemCallFaults { _, call in
            if missing.contains(call.kind) { return .fail(ENOSYS) }
            if [.renameNoReplace, .link].contains(call.kind) { try? folder.put([9], "file.bin") }
            return .proceed
        }
        #expect(throws: DownloadError.self) { try publish(complete(total: 3, system: race.system())) }
        #expect(folder.bytes("file.bin") == [9])
        #expect(folder.bytes("file.bin.part") == [1, 2, 3])
    }

    /// A file system that has no hard links says so in different ways (rclone: EIO).
    @Test(arguments: [[.renameNoReplace], [.renameNoReplace, .link]] as [[SystemCall.Kind]], [EINVAL, EPERM, EIO])
    func fileSystemsThatLackCallsWork(missing: [SystemCall.Kind], linkFails: Int32) throws {
        let faults = SystemCallFaults { _, call in
            missing.contains(call.kind) ? .fail(call.kind == .link ? linkFails : EINVAL) : .proceed
        }
        #expect(try publish(complete(total: 3, system: faults.system())) == folder.path("file.bin"))
        #expect(folder.names == ["file.bin"])
        #expect(throws: DownloadError.self) { try publish(complete(total: 3, system: faults.system())) }
    }

    @Test(arguments: [ConflictPolicy.replace, .keep]) func replaces(policy: ConflictPolicy) throws {
        try folder.put([9], "file.bin")
        #expect(try publish(complete(total: 3), policy) == folder.path("file.bin"))
        #expect(folder.bytes("file.bin") == [1, 2, 3])
    }

    /// A file that was created or changed while the download ran is not the one that may be replaced.
    @Test(arguments: [ConflictPolicy.replace, .keep], [nil, [9], [8]] as [[UInt8]?])
    func aFileThatAppearsMeanwhileIsNotReplaced(policy: ConflictPolicy, before: [UInt8]?) throws {
        if let before { try folder.put(before, "file.bin") }
        let partial = try complete(total: 3)
        if before == [8] { try FileManager.default.removeItem(atPath: folder.path("file.bin")) }
        try folder.put([9, 9], "file.bin")
        let refusal = #expect(throws: DownloadError.self) { try publish(partial, policy) }
        #expect(refusal?.code == .destinationExists)
        #expect(folder.bytes("file.bin") == [9, 9] && folder.bytes("file.bin.part") == [1, 2, 3])
    }

    @Test func takesTheNextFreeName() throws {
        for name in ["file.bin", "file (1).bin", "file (2).bin"] { try folder.put([9], name) }
        #expect(try publish(complete(total: 3), .rename) == folder.path("file (3).bin"))
        #expect(folder.bytes("file (3).bin") == [1, 2, 3])
        #expect(folder.bytes("file.bin") == [9])
    }

    @Test(arguments: ConflictPolicy.allCases) func onlyFilesAreReplaced(policy: ConflictPolicy) throws {
        try folder.put([9], "target")
        try FileManager.default.createDirectory(atPath: folder.path("file.bin"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.bin"), withDestinationPath: folder.path("target"))
        for name in ["file.bin", "link.bin"] {
            let outcome = Result { try publish(complete(name: name, total: 3), policy) }
            #expect((try? outcome.get()) == nil || policy == .rename)
        }
        #expect(folder.bytes("target") == [9])
        #expect(try ExistingFile.at(folder.path("file.bin")) == .other(.folder))
        #expect(try ExistingFile.at(folder.path("link.bin")) == .other(.symlink))
        #expect(try ExistingFile.at(folder.path("none")) == .none)
    }

    @Test func incompleteIsNotPublished() throws {
        for (bytes, total, claimed) in [([1, 2], 3, 3), ([1, 2], nil, 3), ([1, 2, 3], 3, 2)]
            as [([UInt8], Int64?, Int64)]
        {
            let error = #expect(throws: DownloadError.self) {
                try publish(complete(bytes, total: total), total: claimed)
            }
            #expect(error?.code == .internal)
        }
        let partial = try complete(total: 1 << 20)
        try partial.record(slot: partial.addSegment(start: 4), written: 1 << 20)
        #expect(throws: DownloadError.self) { try publish(partial, total: 1 << 20) }
        #expect(folder.bytes("file.bin") == nil)
    }

    @Test func foreignHandsOnThePartialAreNoticed() throws {
        let cut = try complete(total: 3)
        try #require(FileHandle(forUpdatingAtPath: folder.path("file.bin.part"))).truncate(atOffset: 2)
        #expect(throws: DownloadError.self) { try publish(cut) }
        let replaced = try complete(total: 3)
        try FileManager.default.removeItem(atPath: folder.path("file.bin.part"))
        try folder.put([9, 9, 9], "file.bin.part")
        let error = #expect(throws: DownloadError.self) { try publish(replaced) }
        #expect(error?.code == .fileFailed)
        #expect(folder.bytes("file.bin") == nil)
    }

    /// Success is not claimed while the name may be lost; the name is given back where nothing was replaced.
    @Test(arguments: [ConflictPolicy.fail, .rename]) func folderThatCanNotBeSynced(policy: ConflictPolicy) throws {
        let faults = SystemCallFaults(every: .fsyncFolder, .fail(EIO))
        #expect(throws: DownloadError.self) { try publish(complete(total: 3, system: faults.system()), policy) }
        #expect(folder.bytes("file.bin") == nil)
        #expect(folder.bytes("file.bin.part") == [1, 2, 3])
    }

    /// Some file systems can't sync folders, and a folder in which one may write but not list can't be opened.
    @Test(arguments: [EINVAL, EACCES]) func folderThatHasNoSync(code: Int32) throws {
        let unable = SystemCallFaults(every: .fsyncFolder, .fail(code))
        #expect(try publish(complete(total: 3, system: unable.system())) == folder.path("file.bin"))
    }

    @Test func nothingIsWrittenAfterwards() throws {
        let partial = try complete(total: 3)
        _ = try publish(partial)
        #expect(throws: FileError.self) { try partial.write([9], at: 0) }
        try partial.discard()
        #expect(folder.bytes("file.bin") == [1, 2, 3])
    }

    @Test(arguments: [1, 240, 241, 242, 255]) func longNames(length: Int) throws {
        let name = String(repeating: "é", count: length / 2) + (length % 2 == 1 ? "x" : "")
        #expect(name.utf8.count == length)
        let twin = String(name.dropLast()) + "y"
        let session = Session(folder: folder, name: name, version: 1, policy: .fail)
        let partial = try session.open(.quick())
        try session.fill(partial, try session.start(partial), limit: 3)
        if twin.utf8.count <= 255, twin != name { #expect(PartialNames(final: twin).partial != partial.names.partial) }
        partial.close()
        #expect(folder.names.allSatisfy { $0.utf8.count <= 255 })
        #expect(try session.download(.quick()) == folder.path(name))
        #expect(folder.names == [name])
    }

    @Test func namesStandBesideTheFile() {
        #expect(PartialNames(final: "a.b.zip").partial == "a.b.zip.part")
        #expect(PartialNames(final: "a.b.zip").folder == ".")
        #expect(PartialNames(final: "/x").folder == "/")
        #expect(PartialNames(final: "/x/y/z").folder == "/x/y")
        #expect(PartialNames(final: "/x/y/z").journal == "/x/y/z.part.haul")
    }
}
