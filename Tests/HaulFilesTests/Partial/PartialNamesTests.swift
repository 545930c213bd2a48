import HaulFiles
import Testing

@Suite("Names of partial files")
struct PartialNamesTests {
    @Test("in a folder of its own: the name, a check value, and the usual endings", arguments: ["/p", "/p/", "p", "/"])
    func inFolder(folder: String) {
        let names = PartialNames(final: "/a/x.bin", dataFolder: folder, identity: "/a/x.bin")
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        #expect(names.final == "/a/x.bin" && names.folder == "/a" && names.dataFolder == folder)
        #expect(names.partial.hasPrefix(prefix + "x.bin~") && names.partial.hasSuffix(".part"))
        #expect(names.journal == names.partial + ".haul")
        #expect(names.newJournal == names.journal + ".new")
    }

    @Test("no two of many places share a file, long names included")
    func apart() {
        let long = String(repeating: "ä", count: 120)
        let names = ["a.b.zip", "a.c.zip", "movie.mp4", "movie.mp3", "x", long + "1", long + "2"]
        var seen: Set<String> = []
        for folder in ["/a", "/b", "/a/b", ""] {
            for name in names {
                let final = "\(folder)/\(name)"
                let partial = PartialNames(final: final, dataFolder: "/p", identity: final).partial
                #expect(seen.insert(partial).inserted)
                let last = partial.split(separator: "/").last ?? ""
                #expect(last.utf8.count + ".haul.new".utf8.count <= PartialNames.nameLimit)
            }
        }
        #expect(seen.count == 4 * names.count)
    }

    @Test("beside the file nothing has changed", arguments: ["f", "/f", "d/f", "/d/e/f"])
    func beside(final: String) {
        let names = PartialNames(final: final)
        #expect(names.partial == final + ".part" && names.dataFolder == names.folder)
    }
}
