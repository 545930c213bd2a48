extension CatalogueSchema {
    /// When the inode of a download's file was born: its number alone is soon another file's.
    ///
    /// - `born` is in nanoseconds since 1970; NULL if the file system does not keep it. A file that an earlier version recorded is not
    ///   recognised any more.
    static let versionThree = """
        ALTER TABLE download ADD COLUMN born INTEGER CHECK (born IS NULL OR inode IS NOT NULL);
        """
}
