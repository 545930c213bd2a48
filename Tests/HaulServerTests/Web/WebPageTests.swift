import Foundation
import HaulServer
import Testing

/// The page in the program is the page in the folder, and holds together.
struct WebPageTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/HaulServer/Page").standardizedFileURL

    @Test func everyFileOfTheFolderIsServedAsItStands() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
        #expect(names.count == WebPage.files.count)
        for name in names {
            let file = try #require(
                WebPage.files[name == "index.html" ? "/" : "/page/\(name)"], "\(name) is not in the list")
            #expect(try Data(contentsOf: Self.folder.appending(path: name)) == Data(file.bytes), "\(name)")
        }
    }

    @Test func whatIsAskedForIsThere() throws {
        for (path, file) in WebPage.files {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for found in text.matches(of: /from "\.\/(\w+\.js)"/) {
                #expect(WebPage.files["/page/\(found.1)"] != nil, "\(path)")
            }
            for found in text.matches(of: /(?:href|src)="(page\/[\w.]+)"/) {
                #expect(WebPage.files["/\(found.1)"] != nil, "\(path)")
            }
        }
    }

    @Test func typesFitTheNames() {
        for (path, file) in WebPage.files {
            let type =
                switch path.split(separator: ".").last {
                case "js": "text/javascript; charset=utf-8"
                case "css": "text/css; charset=utf-8"
                case "svg": "image/svg+xml"
                case _: "text/html; charset=utf-8"
                }
            #expect(file.type == type)
        }
    }

    /// The policy `default-src 'self'` blocks scripts and styles within the text; names reach the page as text only.
    @Test func nothingNeedsWhatThePolicyForbids() throws {
        let page = String(decoding: try #require(WebPage.files["/"]).bytes, as: UTF8.self)
        #expect(!page.contains(" style=") && !page.contains("<style") && !page.contains(" onclick"))
        #expect(page.matches(of: /<script/).count == page.matches(of: /<script type="module" src="page\//).count)
        for (path, file) in WebPage.files {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "\"style\"",
            ] {
                #expect(!text.contains(word), "\(path) has \(word)")
            }
        }
    }
}
