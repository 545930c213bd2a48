import CHaulBuild
import CHaulCurl
import CHaulZlib
import GRDBSQLite
import HaulCore

/// What the program was built from, and the libraries of the system that it uses: the text of `haul --version --verbose`.
enum BuildFacts {
    /// True if these are the arguments that ask for the facts.
    static func isAsked(by arguments: [String]) -> Bool {
        arguments.count == 2 && Set(arguments) == ["--version", "--verbose"]
    }

    /// The facts, each in a line.
    static var text: String {
        text(build: unsafe haul_build_facts().map { unsafe String(cString: $0) }, libraries: libraries)
    }

    /// Makes the text.
    ///
    /// - Parameter build: The facts that the build was given, separated by semicolons, or nil.
    static func text(build: String?, libraries: [(name: String, version: String)]) -> String {
        let given = build?.split(separator: ";").map(String.init) ?? ["commit: unknown, since it was not built by make"]
        return (["haul \(Version.current)"] + given + libraries.map { "library: \($0.name) \($0.version)" })
            .map { $0 + "\n" }.joined()
    }

    /// The libraries of the system, as they are now.
    private static var libraries: [(name: String, version: String)] {
        [
            ("SQLite", unsafe String(cString: sqlite3_libversion())), ("zlib", unsafe String(cString: zlibVersion())),
            ("libcurl", unsafe haul_curl_version().map { unsafe String(cString: $0) } ?? "is not installed"),
        ]
    }
}
