# Built from source, since the archive for Linux is linked against the system's libraries. Scripts/release sets the version and the digest.
class Haul < Formula
  desc "Download manager with resume, verification and a daemon"
  homepage "https://example.org/haul"
  url "https://example.org/haul/releases/haul-1.0.0-rc.1.tar.gz"
  version "1.0.0-rc.1"
  sha256 "9ca5512e563067a94ee1af00844f4caf80cf72432188ce50489179427f47f394"
  license "Apache-2.0"

  depends_on macos: :sequoia
  uses_from_macos "swift" => :build, since: :tahoe # swift 6.2+
  uses_from_macos "curl"
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    ENV["HAUL_BUILD"] = "commit: v#{version}"
    # SwiftPM cannot use its own sandbox inside Homebrew's.
    arguments = ["--disable-sandbox", "--configuration", "release", "--product", "haul"]
    arguments << "--static-swift-stdlib" << "--disable-local-rpath" if OS.linux?
    system "swift", "build", *arguments
    bin.install ".build/release/haul"
    man1.mkpath
    (man1/"haul.1").write Utils.safe_popen_read(bin/"haul", "manual")
    generate_completions_from_executable(bin/"haul", "completions")
  end

  service do
    run [opt_bin/"haul", "daemon", "run"]
    keep_alive crashed: true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/haul --version")
    (testpath/"served.txt").write "data"
    port = free_port
    server = spawn "python3", "-m", "http.server", "--bind", "127.0.0.1", port.to_s
    sleep 2
    system bin/"haul", "get", "--output", "saved.txt", "http://127.0.0.1:#{port}/served.txt"
    assert_equal "data", (testpath/"saved.txt").read
  ensure
    Process.kill "TERM", server if server
  end
end
