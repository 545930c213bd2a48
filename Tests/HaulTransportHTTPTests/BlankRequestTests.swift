import AsyncHTTPClient
import Foundation
import HTTPTypes
import HaulTransport
import NIOHTTP1
import NIOPosix
import Testing

@testable import HaulTransportHTTP

/// The request that is kept serves for its own origin alone, and nothing of an earlier request stays in it.
@Suite struct BlankRequestTests {
    private let clients: HTTPClients

    init() throws {
        clients = HTTPClients(
            loop: MultiThreadedEventLoopGroup.singleton.next(), configuration: HTTPTransportConfiguration(),
            trustRoots: try TrustRoots(caCertificatePath: nil), connections: ClientConnections())
    }

    private func message(_ url: String, _ headers: HTTPFields = [:]) throws -> HTTPClient.Request {
        let request = TransferRequest(url: url, headers: headers)
        let target = try RequestTarget(url)
        return try HTTPClient.Request(
            request, to: target, by: try Route(request, to: target), clients.blankRequest)
    }

    @Test func eachOriginHasItsOwn() throws {
        for url in ["http://h/a", "http://h/b", "https://h/c", "http://h:81/d", "http://other/e", "http://h/f"] {
            let target = try RequestTarget(url)
            let message = try message(url)
            #expect(message.url.absoluteString == target.origin)
            #expect(message.method == .GET)
            #expect(message.headers.first(name: RequestTarget.header) == target.target)
        }
    }

    @Test func noHeaderStays() throws {
        let first = try message("http://h/a", [.authorization: "secret"])
        #expect(first.headers.first(name: "Authorization") == "secret")
        let second = try message("http://h/b", [.accept: "*/*"])
        #expect(second.headers.map(\.name) == ["Accept", RequestTarget.header])
    }

    @Test func whatCannotBeAskedIsNotKept() throws {
        _ = try message("http://h/a")
        #expect(throws: (any Error).self) { try clients.blankRequest(to: "ftp://h/") }
        #expect(try clients.blankRequest(to: "http://h/").host == "h")
    }
}
