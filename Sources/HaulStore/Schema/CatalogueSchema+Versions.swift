extension CatalogueSchema {
    /// The first schema.
    ///
    /// - `state` is `StoredState.number`; data associated with a state is not NULL in that state only.
    /// - Bytes, times (milliseconds since 1970) and offsets are plain integers; device and inode are bit patterns.
    /// - Values shared by many downloads (hosts, groups, options as JSON) have tables of their own.
    /// - `pending_terminal_event` is 1 while a run or file work is in progress: after a crash its terminal event is
    ///   still to be emitted.
    /// - An event whose kind is its whole content has no facts.
    static let versionOne = """
        CREATE TABLE host (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE label (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE options (number INTEGER PRIMARY KEY, json TEXT NOT NULL UNIQUE) STRICT;

        CREATE TABLE download (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            position INTEGER NOT NULL,
            state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 6),
            priority INTEGER NOT NULL CHECK (priority BETWEEN -1000 AND 1000),
            host INTEGER NOT NULL REFERENCES host (number),
            not_before INTEGER,
            starts_at_once INTEGER NOT NULL CHECK (starts_at_once IN (0, 1)),
            starts_paused INTEGER NOT NULL CHECK (starts_paused IN (0, 1)),
            lacks_secrets INTEGER NOT NULL CHECK (lacks_secrets IN (0, 1)),
            source_replaced INTEGER NOT NULL CHECK (source_replaced IN (0, 1)),
            pending_terminal_event INTEGER NOT NULL DEFAULT 0 CHECK (pending_terminal_event IN (0, 1)),
            added INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            total INTEGER CHECK (total >= 0),
            done INTEGER NOT NULL CHECK (done >= 0),
            options INTEGER NOT NULL REFERENCES options (number),
            label INTEGER REFERENCES label (number),
            key BLOB NOT NULL CHECK (length(key) = 16),
            destination_kind INTEGER NOT NULL CHECK (destination_kind BETWEEN 0 AND 2),
            destination TEXT NOT NULL,
            url TEXT NOT NULL,
            key_text TEXT,
            checksum TEXT,
            range_start INTEGER CHECK (range_start >= 0),
            range_end INTEGER CHECK (range_end >= range_start),
            target_path TEXT,
            device INTEGER,
            inode INTEGER,
            pause TEXT CHECK (pause IN ('asked', 'relaunch')),
            hold TEXT CHECK (hold IN ('linkExpired', 'credentials')),
            error TEXT,
            finish TEXT,
            kept INTEGER CHECK (kept IN (0, 1)),
            CHECK ((range_start IS NULL) = (range_end IS NULL)),
            CHECK ((device IS NULL) = (inode IS NULL)),
            CHECK ((pause IS NOT NULL) = (state = 2)),
            CHECK ((hold IS NOT NULL) = (state = 3)),
            CHECK ((finish IS NOT NULL) = (state = 4)),
            CHECK (state <> 4 OR (target_path IS NOT NULL AND total IS NOT NULL AND done = total)),
            CHECK ((error IS NOT NULL) = (state = 5 OR hold IS 'linkExpired')),
            CHECK ((kept IS NOT NULL) = (state = 6))
        ) STRICT;
        CREATE UNIQUE INDEX download_by_key ON download (key);
        CREATE UNIQUE INDEX download_by_position ON download (position);
        CREATE INDEX download_by_state ON download (state, position);
        CREATE INDEX download_by_label ON download (label, position) WHERE label IS NOT NULL;
        CREATE INDEX download_that_pending_terminal_event ON download (pending_terminal_event) WHERE pending_terminal_event = 1;
        CREATE INDEX download_without_secrets ON download (state) WHERE lacks_secrets = 1;

        CREATE TABLE tag (
            download INTEGER NOT NULL REFERENCES download (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            PRIMARY KEY (download, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX tag_by_name ON tag (name);

        CREATE TABLE event (
            number INTEGER PRIMARY KEY CHECK (number > 0),
            download INTEGER NOT NULL,
            time INTEGER NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('added', 'started', 'waiting', 'notice', 'paused', 'resumed',
                'sourceReplaced', 'finished', 'failed', 'cancelled', 'removed', 'changed')),
            facts TEXT,
            CHECK ((facts IS NULL) = (kind IN ('added', 'resumed', 'sourceReplaced', 'changed')))
        ) STRICT;
        """

    /// Adds the sources that a download had before, instead of a flag that it had any.
    ///
    /// - `replaced_sources` are digests, as in journals, separated by blanks. The sources before this version are
    ///   unknown: a partial file of theirs is not resumed.
    static let versionTwo = """
        ALTER TABLE download ADD COLUMN replaced_sources TEXT CHECK (replaced_sources <> '');
        ALTER TABLE download DROP COLUMN source_replaced;
        """

    /// Adds the birth time of a file's inode, because the inode number alone is soon reused for another file.
    ///
    /// - `born` is in nanoseconds since 1970; NULL if the file system does not store it. A file that an earlier version
    ///   recorded is no longer recognised.
    static let versionThree = """
        ALTER TABLE download ADD COLUMN born INTEGER CHECK (born IS NULL OR inode IS NOT NULL);
        """

    /// Adds the facts of an earlier finish of a repeated download: only the file that it created then may be replaced.
    static let versionFour = """
        ALTER TABLE download ADD COLUMN earlier_finish TEXT;
        """

    /// Rewrites the limit on connections in stored options to the form of requests: `{"limit": 4, "mode": "fixed"}`.
    static let versionFive = """
        UPDATE options SET json = json_set(json, '$.connections', json_object(
            'limit', json_extract(json, '$.connections.automatic.limit'), 'mode', 'automatic'))
        WHERE json_type(json, '$.connections.automatic') IS NOT NULL;
        UPDATE options SET json = json_set(json, '$.connections', json_object(
            'limit', json_extract(json, '$.connections.fixed._0'), 'mode', 'fixed'))
        WHERE json_type(json, '$.connections.fixed') IS NOT NULL;
        """

    /// Adds a mark of the downloads that have run: others have no files, so that removing them takes no look at the disk.
    ///
    /// - `has_begun` is 0 until the first run starts. For the downloads of earlier versions this is unknown.
    static let versionSix = """
        ALTER TABLE download ADD COLUMN has_begun INTEGER NOT NULL DEFAULT 1 CHECK (has_begun IN (0, 1));
        """

    /// Adds the downloads that must finish before another one starts.
    ///
    /// - `after` may have been removed since: then it is no longer waited for.
    static let versionSeven = """
        CREATE TABLE dependency (
            download INTEGER NOT NULL REFERENCES download (id) ON DELETE CASCADE,
            after INTEGER NOT NULL,
            PRIMARY KEY (download, after)
        ) STRICT, WITHOUT ROWID;
        """

    /// Adds the removals in progress, which the next launch completes.
    ///
    /// - `files` are the files to be removed together with the record. Before this version, a finished download with a
    ///   pending terminal event was one that was being removed with its file.
    static let versionEight = """
        CREATE TABLE removal (
            download INTEGER PRIMARY KEY REFERENCES download (id) ON DELETE CASCADE,
            files TEXT NOT NULL CHECK (files IN ('none', 'partial', 'all'))
        ) STRICT;
        INSERT INTO removal (download, files)
            SELECT id, 'all' FROM download WHERE pending_terminal_event = 1 AND state = 4;
        """
}
