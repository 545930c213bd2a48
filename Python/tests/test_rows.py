"""The rows of manifests as JSON: values of other packages, text files and Parquet."""

from __future__ import annotations

import datetime
import json
import math
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import haul
from conftest import Site
from test_batch import results


class Array:
    """As an array of NumPy, or as a number of it that has no other form."""

    def __init__(self, items: Any = None) -> None:
        self.items = items

    def tolist(self) -> Any:
        return self if self.items is None else self.items

    def __str__(self) -> str:
        return "array(0, 1, ..., 9)"


class NAType:
    """As the NA of pandas, whose class has this name."""

    def __str__(self) -> str:
        return "<NA>"


class NaTType(datetime.datetime):
    """As the NaT of pandas, whose class has this name."""


@pytest.mark.parametrize("nan", [0.5, math.nan])
def test_values_of_other_packages(site: Site, tmp_path: Path, nan: float) -> None:
    row = {
        "url": site.url("f/1"),
        "array": Array([0.5, nan, Array(7)]),
        "number": Array(7),
        "long": Array(),
        "mapping": MappingProxyType({"a": MappingProxyType({"b": Array([nan])})}),
        "time": NaTType(1, 1, 1),
        "buffer": bytearray(b"\0\xff"),
    }
    report = haul.batch([{"id": NAType(), **row}, MappingProxyType({"id": "b", **row})], tmp_path)
    assert (report.ok, report.refused, report.repeated) == (2, 0, 0)
    expected = {"array": [0.5, 0.5, 7], "number": 7, "mapping": {"a": {"b": [0.5]}}, "time": None, "buffer": "AP8="}
    if math.isnan(nan):
        expected |= {"array": [0.5, None, 7], "mapping": {"a": {"b": [None]}}}
    found = results(tmp_path)
    # The number of a row that has no id.
    assert set(found) == {0, "b"}
    for line in found.values():
        assert line["columns"] == {**expected, "long": "array(0, 1, ..., 9)"}


def test_lines_of_a_text_file_are_rows(site: Site, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text(f"{site.url('f/1')}\n{site.url('f/2')}\n")
    with (tmp_path / "urls.txt").open() as file:
        assert haul.batch(file, tmp_path / "out").ok == 2
    assert haul.batch([site.url("f/3") + "\r\n", json.dumps({"url": site.url("f/4")}) + "\n"], tmp_path / "two").ok == 2


def test_files_of_parquet_with_different_columns(site: Site, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    manifest = tmp_path / "folder"
    manifest.mkdir()
    tables = [
        {"url": [site.url("f/1")], "id": ["a"], "note": pa.nulls(1), "size": pa.array([1], pa.int32())},
        {"url": [site.url("f/2")], "id": ["b"], "note": ["a cat"], "size": pa.array([1 << 40], pa.int64())},
        {"URL": [site.url("f/3")], "id": ["c"], "width": [7]},
    ]
    for number, table in enumerate(tables):
        parquet.write_table(pa.table(table), manifest / f"{number}.parquet")
    assert [json.loads(line)["id"] for line in haul.rows_of_parquet(manifest)] == ["a", "b", "c"]
    assert haul.batch(manifest, tmp_path / "out").ok == 3
    assert {name: line["columns"] for name, line in results(tmp_path / "out").items()} == {
        "a": {"note": None, "size": 1},
        "b": {"note": "a cat", "size": 1 << 40},
        "c": {"width": 7},
    }


@pytest.mark.parametrize("table", [{"link": "http://127.0.0.1:1/"}, {"url": "http://127.0.0.1:1/"}])
def test_a_wrong_column_of_a_later_file_of_parquet_is_an_error(tmp_path: Path, table: dict[str, str]) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    manifest = tmp_path / "folder"
    manifest.mkdir()
    parquet.write_table(pa.Table.from_pylist([{"url": "http://127.0.0.1:1/", "key": "a"}]), manifest / "1.parquet")
    parquet.write_table(pa.Table.from_pylist([table]), manifest / "2.parquet")
    missing = "key" if "url" in table else "url"
    with pytest.raises(ValueError, match=f'folder/2.parquet has no column "{missing}", only {next(iter(table))}'):
        haul.batch(manifest, tmp_path / "out", id_column="key")
    assert not (tmp_path / "out").exists()


def test_a_folder_without_parquet_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="has no Parquet file"):
        haul.batch(tmp_path, tmp_path / "out")
