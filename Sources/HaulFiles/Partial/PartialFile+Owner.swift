extension PartialFile {
    /// The identity of the source that brought the bytes of a partial; nil where no journal tells, or one of another partial does.
    ///
    /// Nothing is locked or changed: without the lock the answer holds for the moment.
    package static func owner(_ names: PartialNames, system: SystemCalls = .live) throws(FileError) -> String? {
        guard case .bytes(let bytes) = try readJournal(names.journal, system),
            let header = try? Journal(decoding: bytes).header,
            let partial = try system.status(atPath: names.partial), partial.identity == header.partial
        else { return nil }
        return header.sourceID
    }
}
