"""Results as Arrow tables."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.json

# The order of `docs/fleet/batch.md`; the other columns of a row follow.
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("row", pa.int64()),
        ("url", pa.string()),
        ("state", pa.string()),
        ("error", pa.string()),
        ("message", pa.string()),
        ("final_url", pa.string()),
        ("status", pa.int32()),
        ("bytes", pa.int64()),
        ("media_type", pa.string()),
        ("sha256", pa.string()),
        ("member", pa.string()),
        ("offset", pa.int64()),
        ("end", pa.int64()),
        ("seconds", pa.float64()),
        ("attempts", pa.int32()),
    ]
)
PART = pa.field("part", pa.string())
COLUMNS = pa.field("columns", pa.string())
RESULT_SCHEMA = pa.schema([*SCHEMA, PART, COLUMNS])
"""The columns of `results`: those of a result line, the name of the part, and the other columns as JSON."""

# The last member of a line. All before are numbers and strings, in which a quote is escaped.
_COLUMNS = b',"columns":{'
_TEXT = b'{"id":"'
_ABSENT = b'{"id":null'


def results(part: str, content: bytes) -> pa.Table:
    """Return the results of a part as a table with `RESULT_SCHEMA`."""
    heads, columns = io.BytesIO(), []
    for line in content.splitlines():
        head, _, rest = line.partition(_COLUMNS)
        # Rows without an id have their number instead.
        if not head.startswith(_TEXT):
            head = _ABSENT + head[head.index(b",") :]
        heads.write(head + b"}\n")
        columns.append(b"{" + rest[:-1])
    if not columns:
        return RESULT_SCHEMA.empty_table()
    heads.seek(0)
    options = pyarrow.json.ParseOptions(explicit_schema=SCHEMA, unexpected_field_behavior="ignore")
    table = pyarrow.json.read_json(heads, parse_options=options).select(SCHEMA.names)
    table = table.append_column(PART, pa.array([part] * len(columns), pa.string()))
    return table.append_column(COLUMNS, pa.array(columns, pa.binary()).cast(pa.string()))
