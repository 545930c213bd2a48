import GRDB
import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values shared by many records, with their numbers in the database.
///
/// It is a cache: for a list of a million files of one site, the database is asked once for host and options.
struct InternedValues {
    private var hosts = NumberedTable<String>("host", "name")
    /// By bytes: names that differ only in their Unicode form are equal strings, but two groups in the database.
    private var labels = NumberedTable<[UInt8]>("label", "name")
    /// Without texts beyond ASCII: strings that differ only in their Unicode form are equal, but name different folders.
    private var options = NumberedTable<DownloadSpec>("options", "json", cachesOnlyASCII: true)
    private var names: [Int32: String] = [:]
    private var decoded: [Int64: DownloadSpec] = [:]
    /// Encodes the facts of starts and finishes.
    var facts = FactsEncoder()

    /// Returns the number of a host.
    mutating func host(_ name: String, _ database: Database) throws -> Int64 {
        try hosts.number(of: name, database) { name }
    }

    /// Returns the number of a group.
    mutating func label(_ name: String, _ database: Database) throws -> Int64 {
        try labels.number(of: Array(name.utf8), database) { name }
    }

    /// Returns the number of the options of a spec without secrets.
    mutating func options(_ spec: DownloadSpec, _ database: Database) throws -> Int64 {
        let shared = spec.sharedOptions
        return try options.number(of: shared, database) { try StoredJSON.text(shared) }
    }

    /// Returns the options with a number, which are decoded only if they are not cached.
    mutating func options(_ number: Int64, _ decode: () throws -> DownloadSpec) throws -> DownloadSpec {
        if let options = decoded[number] { return options }
        let options = try decode()
        if decoded.count >= NumberedTable<DownloadSpec>.capacity { decoded = [:] }
        decoded[number] = options
        return options
    }

    /// Returns the host with a number; nil if there is none.
    mutating func hostName(_ number: Int32, _ database: Database) throws -> String? {
        if let name = names[number] { return name }
        let name = try String.fetchOne(database, sql: "SELECT name FROM host WHERE number = ?", arguments: [number])
        if names.count >= NumberedTable<String>.capacity { names = [:] }
        names[number] = name
        return name
    }
}

extension DownloadSpec {
    /// The part that is equal for many downloads; the rest has columns of its own.
    var sharedOptions: DownloadSpec {
        var options = self
        options.source.url = ""
        options.placement.destination = .file(path: "")
        options.verification.checksum = nil
        options.source.range = nil
        options.queueing = Queueing()
        return options
    }
}
