extension CatalogueSchema {
    /// Adds the birth time of a file's inode, because the inode number alone is soon reused for another file.
    ///
    /// - `born` is in nanoseconds since 1970; NULL if the file system does not store it. A file that an earlier version
    ///   recorded is no longer recognised.
    static let versionThree = """
        ALTER TABLE download ADD COLUMN born INTEGER CHECK (born IS NULL OR inode IS NOT NULL);
        """
}
