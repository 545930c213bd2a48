#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// All that the caller asks of one download.
///
/// Encoded, it holds only what differs from the defaults; decoded, what is missing has its default.
public struct DownloadSpec: Sendable, Hashable {
    /// Where it comes from: an `http` or `https` URL.
    ///
    /// User name and password in it become an `Authorization` header.
    public var url: String
    /// Where it goes.
    public var destination: Destination
    /// What happens when something stands there already.
    public var onConflict: ConflictPolicy = .fail
    /// How many connections may work on it.
    public var connections: ConnectionLimit = .standard
    /// A digest that the finished file must have.
    public var checksum: Checksum?
    /// Whether a checksum is looked for beside the file on the server, where none is given: `URL.sha256`, `SHA256SUMS` and the like.
    ///
    /// A few small requests at the URL's own origin, before the first one for the file.
    public var findsChecksum: Bool = false
    /// Whether the file must have the digest that the server's own header tells, where no other checksum is known.
    public var usesHeaderChecksum: Bool = true
    /// Whether a file that stands at the destination is verified first, and kept if it is right.
    ///
    /// Only what is not right meets `onConflict`.
    public var verifiesExisting: Bool = false
    /// Whether somebody else's document, a Metalink, named the URL.
    ///
    /// Then of a netrc file only an entry for the URL's very host is told, never the `default`, and only over TLS.
    public var isNamedByDocument: Bool = false
    /// Other sources of the same file, used together with the URL.
    public var mirrors: [Mirror] = []
    /// Whether mirrors that the server names in `Link` headers are used, too (RFC 6249).
    public var usesLinkedMirrors: Bool = true
    /// Digests of the file's pieces: what is bad is fetched again, and nothing else.
    public var pieces: PieceHashes?
    /// The size that the file must have; nil: as the server says.
    public var expectedBytes: Int64?
    /// Headers sent with each request, in order.
    ///
    /// All but a few harmless ones stay at the URL's own origin.
    public var headers: [Header] = []
    /// Whether a partial file is gone on with, and kept when the download stops.
    ///
    /// If not, no journal is written, and what an earlier run left is begun anew.
    public var resumes: Bool = true
    /// Whether an unfinished file of another program is continued, once its bytes are proved to be the server's: the beginning of the
    /// file under its final name, what aria2 or axel left together with its control file, or a browser's `NAME.part`, `NAME.crdownload` or
    /// `NAME.download`.
    ///
    /// What can't be proved is left as it is, and the download fails. Only with `resumes`, and not with `range`.
    public var adoptsPartials: Bool = false
    /// How often in a row an attempt may fail without one new byte before the download fails.
    public var retries: Int = 5
    /// The longest wait for a connection.
    public var connectTimeout: Duration = .seconds(15)
    /// The longest time without a byte on a connection.
    public var idleTimeout: Duration = .seconds(30)
    /// The longest wait that a server may ask for with `Retry-After`; if it asks for more, the download fails with `serverBusy`.
    ///
    /// Nil: any. A wait is never longer than a day before the server is asked again.
    public var maxWait: Duration?
    /// The longest time that one run of the download may take, its waits between attempts included; nil: any.
    ///
    /// It ends with `timedOut`, and what has come is kept.
    public var maxTime: Duration?
    /// The speed below which an attempt is broken off and counts as failed; nil: none.
    public var minSpeed: MinimumSpeed?
    /// Whether any certificate is accepted.
    ///
    /// Shown wherever the download is shown.
    public var insecure: Bool = false
    /// Whether a redirect may lead from https to http.
    public var allowsDowngrade: Bool = false
    /// What becomes of a file that the server compresses on the way (`Content-Encoding`).
    public var compression: Compression = .decode
    /// Whether a web page (`text/html`) under a name that is not one, such as `a.zip`, is an error; otherwise a notice tells of it.
    public var failsOnHTML: Bool = false
    /// Whether only public addresses are connected to: none of this machine, of private networks, of links.
    ///
    /// It is looked at when a connection is made, so no name and no redirect leads elsewhere. Behind a proxy only an address that stands in
    /// the URL counts, since the proxy looks up names. What needs libcurl is refused.
    public var publicAddressesOnly: Bool = false

    /// Who asks, told to the URL's own origin alone; nil, or where the URL names a user: whom the URL names.
    public var user: String?
    /// The password of `user`.
    public var password: Secret?
    /// How the server is told who asks; all but `basic` need Haul to be built with libcurl.
    public var authentication = AuthenticationScheme.any
    /// A token that is sent to the URL's own origin (RFC 6750), where there is no user.
    public var bearerToken: Secret?
    /// A file in the form of `.netrc` with users and passwords by host, for where nothing else says who asks.
    ///
    /// At the URL's own host its `default` counts, too, unless a document named the URL; at another, where a redirect leads, only an
    /// entry for that host does.
    public var netrcPath: String?
    /// A file of cookies in Netscape's form, sent to the hosts that they are for.
    public var cookiePath: String?
    /// A PEM file with the certificate, and those that lead to its root, for a server at the URL's own origin that asks for one.
    public var clientCertificatePath: String?
    /// A PEM file with its private key, without a passphrase; nil: it stands in the file of the certificate.
    public var clientKeyPath: String?

    /// The bytes of the resource that are fetched, and nothing else: they become the whole file.
    ///
    /// To the end of the resource where the upper bound lies beyond it. Nil: all of it.
    public var range: ByteRange?
    /// Where the partial file stands while the download goes on; nil: beside the finished file.
    ///
    /// An existing folder on the same file system as the destination, since the finished file is renamed out of it.
    public var partialFolder: String?
    /// Bytes per second for this download alone; nil: no limit but the common one.
    public var rateLimit: Int64?

    /// The caller's identity for the download; nil: canonical URL and destination.
    ///
    /// Adding a spec whose key is there already gives the download that is there.
    public var key: String?
    /// The caller's label for downloads that belong together.
    public var group: String?
    /// The caller's own labels.
    public var tags: Set<String> = []
    /// Who is started first: the higher number, -1000 to 1000.
    public var priority: Int = 0
    /// The time before which it must not start.
    public var notBefore: Date?
    /// Whether it starts at once, beyond the manager's limits: "start now", and every download of a batch.
    public var startsAtOnce: Bool = false
    /// Whether it is added paused.
    public var startsPaused: Bool = false
    /// What only other programs' interfaces ask for.
    package var tuning = DownloadTuning()

    /// Makes a spec with the documented defaults.
    public init(url: String, destination: Destination) {
        self.url = url
        self.destination = destination
    }

    /// One header line.
    public struct Header: Hashable, Sendable, Codable {
        /// The field's name.
        public var name: String
        /// The field's value: if it is empty, the field is not sent, not even one that Haul sends otherwise; blanks send an empty one.
        public var value: String

        /// Makes a header line.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Why the field can't be set for a download; nil if it can.
        ///
        /// No transport sends these two, so to take them would be to drop them silently.
        package var refusal: String? {
            switch name.lowercased() {
            case "host": "the header Host can't be set: it follows from the URL"
            case "proxy-authorization": "the header Proxy-Authorization can't be set: the server would get it"
            default: nil
            }
        }
    }
}
