"""Errors for arguments that another kind of value is expected for, and for packages that are not installed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

# Tables of other packages, recognised by a method of theirs so that none is imported: how their rows and their URLs
# are passed. Iterating over them yields columns, or names of columns.
_TABLES = (
    ("iterrows", "a pandas DataFrame", 'df.to_dict("records")', 'df["url"].tolist()'),
    ("to_dicts", "a polars DataFrame", "df.to_dicts()", 'df["url"].to_list()'),
    ("drop_columns", "a pyarrow Table", "table.to_pylist()", 'table["url"].to_pylist()'),
)


def check_rows(rows: object) -> None:
    """Refuse what is not the rows of a manifest, before anything is written.

    Raises:
        TypeError: It is a table, a single row, or nothing that can be iterated over.
    """
    for method, name, how, _ in _TABLES:
        if hasattr(type(rows), method):
            raise TypeError(f"the manifest is {name}: pass {how}, or save it as a Parquet file and pass its path")
    if isinstance(rows, (bytes, bytearray, Mapping)) or not isinstance(rows, Iterable):
        raise TypeError(f"the manifest is the path of a file, or a list of rows, not {_kind(rows)}")


def check_sources(urls: object) -> None:
    """Refuse what is not a source of `haul.download`, nor several.

    Raises:
        TypeError: It is a table, a path, or nothing that can be iterated over.
    """
    for method, name, _, how in _TABLES:
        if hasattr(type(urls), method):
            raise TypeError(f"the URLs are {name}: pass the column that has them, such as {how}")
    if isinstance(urls, (bytes, bytearray, os.PathLike)) or not isinstance(urls, Iterable):
        raise TypeError(
            f'pass a URL, an object such as {{"url": …, "output": …}}, or a list of these, not {_kind(urls)}'
        )


def wrong_row(row: object) -> TypeError:
    """Return the error for a row that `haul batch` can't read."""
    return TypeError(f"a row is an object with a url (a dict), a URL, or a line of JSON, not {_kind(row)}")


def wrong_source(source: object) -> TypeError:
    """Return the error for one of several sources."""
    return TypeError(f'a source is a URL, or an object such as {{"url": …, "output": …}}, not {_kind(source)}')


def _kind(value: object) -> str:
    return f"a value of the type {type(value).__name__}"


@contextmanager
def needs(extra: str, purpose: str) -> Iterator[None]:
    """Import packages in this context; if one is not installed, the error names the extra that has it."""
    try:
        yield
    except ModuleNotFoundError as problem:
        message = f'{purpose} needs the package {problem.name}: pip install "haul-dl[{extra}]"'
        raise ModuleNotFoundError(message, name=problem.name) from problem
