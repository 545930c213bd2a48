"""Results as Arrow tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import haul
from conftest import Site

pytest.importorskip("pyarrow")

from haul._results import RESULT_SCHEMA, results


def test_rows_with_and_without_an_id(site: Site, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "url": site.url("f/1"), "n": 1},
        {"id": None, "url": site.url("f/2"), "n": 2},
    ]
    haul.batch(rows, tmp_path, id_column="id")
    haul.batch([{"url": site.url("f/3")}], tmp_path / "numbers")
    table = results("part-00000-0000", (tmp_path / "part-00000-0000.results.jsonl").read_bytes())
    assert table.schema == RESULT_SCHEMA
    found = {each["row"]: (each["id"], each["state"], each["columns"]) for each in table.to_pylist()}
    assert found == {0: ("a", "ok", '{"n":1}'), 1: (None, "refused", '{"n":2}')}
    table = results("part-00000-0000", (tmp_path / "numbers/part-00000-0000.results.jsonl").read_bytes())
    assert table["id"].to_pylist() == [None]
    assert results("part-00000-0001", b"").schema == RESULT_SCHEMA
