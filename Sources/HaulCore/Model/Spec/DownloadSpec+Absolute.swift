extension DownloadSpec {
    /// Returns the spec with absolute paths, so that it means the same in every working folder.
    ///
    /// - Parameter folder: The absolute path that relative ones are resolved against; nil if there is none.
    /// - Throws: `DownloadError` with code `fileFailed` if a path is relative and there is no folder.
    package func absolute(in folder: @autoclosure () -> String?) throws(DownloadError) -> DownloadSpec {
        guard hasRelativePath else { return self }
        guard let folder = folder() else {
            throw DownloadError(.fileFailed, "the working folder no longer exists: give absolute paths")
        }
        var spec = self
        spec.placement.destination = placement.destination.absolute(in: folder)
        spec.local.makeAbsolute(in: folder)
        spec.access.password = access.password?.absolute(in: folder)
        spec.access.bearerToken = access.bearerToken?.absolute(in: folder)
        return spec
    }

    private var hasRelativePath: Bool {
        placement.destination.hasRelativePath || local.hasRelativePath || isRelative(access.password?.path)
            || isRelative(access.bearerToken?.path)
    }
}

extension DownloadSpec.Local {
    fileprivate var hasRelativePath: Bool {
        isRelative(partialFolder) || isRelative(netrcPath) || isRelative(cookiePath)
            || isRelative(clientCertificatePath) || isRelative(clientKeyPath)
    }

    fileprivate mutating func makeAbsolute(in folder: String) {
        partialFolder = partialFolder.map { absolutePath($0, in: folder) }
        netrcPath = netrcPath.map { absolutePath($0, in: folder) }
        cookiePath = cookiePath.map { absolutePath($0, in: folder) }
        clientCertificatePath = clientCertificatePath.map { absolutePath($0, in: folder) }
        clientKeyPath = clientKeyPath.map { absolutePath($0, in: folder) }
    }
}

extension Secret {
    fileprivate func absolute(in folder: String) -> Secret {
        switch self {
        case .text: self
        case .file(let path): .file(path: absolutePath(path, in: folder))
        }
    }
}

extension Destination {
    fileprivate var hasRelativePath: Bool {
        switch self {
        case .file(let path): isRelative(path)
        // An empty folder is the working folder.
        case .folder(let path), .hashed(let path): path.isEmpty || isRelative(path)
        }
    }

    fileprivate func absolute(in folder: String) -> Destination {
        switch self {
        case .file(let path): .file(path: absolutePath(path, in: folder))
        case .folder(let path): .folder(path: path.isEmpty ? folder : absolutePath(path, in: folder))
        case .hashed(let path): .hashed(folder: path.isEmpty ? folder : absolutePath(path, in: folder))
        }
    }
}

/// Returns true for a path that depends on the working folder; an empty text is not a path.
private func isRelative(_ path: String?) -> Bool {
    guard let first = path?.utf8.first else { return false }
    return first != UInt8(ascii: "/")
}

/// Returns the path below a folder if it is relative, else unchanged.
private func absolutePath(_ path: String, in folder: String) -> String {
    guard isRelative(path) else { return path }
    let below = path.hasPrefix("./") ? path.dropFirst(2).drop { $0 == "/" } : path[...]
    if below.isEmpty || below == "." { return folder }
    return folder.hasSuffix("/") ? folder + below : "\(folder)/\(below)"
}

extension DownloadSpec {
    /// Returns the spec with the paths of the finished and the partial file replaced.
    package func mappingPathsOfFile(_ change: (String) -> String) -> DownloadSpec {
        var spec = self
        spec.placement.destination =
            switch placement.destination {
            case .file(let path): .file(path: change(path))
            case .folder(let path): .folder(path: change(path))
            case .hashed(let folder): .hashed(folder: change(folder))
            }
        spec.local.partialFolder = local.partialFolder.map(change)
        return spec
    }

    /// Returns the spec with every path replaced.
    func mappingPaths(_ change: (String) -> String) -> DownloadSpec {
        var spec = mappingPathsOfFile(change)
        spec.local.netrcPath = local.netrcPath.map(change)
        spec.local.cookiePath = local.cookiePath.map(change)
        spec.local.clientCertificatePath = local.clientCertificatePath.map(change)
        spec.local.clientKeyPath = local.clientKeyPath.map(change)
        spec.access.password = access.password?.mappingPath(change)
        spec.access.bearerToken = access.bearerToken?.mappingPath(change)
        return spec
    }
}

extension Secret {
    fileprivate func mappingPath(_ change: (String) -> String) -> Secret {
        switch self {
        case .text: self
        case .file(let path): .file(path: change(path))
        }
    }
}
