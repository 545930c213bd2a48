"""Haul for Python: downloads files and data sets with the program `haul`.

    import haul

    haul.download("https://example.org/big.iso", directory="files")
    haul.batch("pictures.jsonl", out="data", per_host=4, accept="image/*")

`haul.spark` and `haul.ray` download the URLs of a Spark DataFrame or of a Ray data set. Every decision about downloads
is made by the program; this package writes its command line and reads its JSON.
"""

from haul._batch import BatchCheck, BatchError, BatchReport, batch, check_batch, rows_of_parquet
from haul._download import Source, download, events
from haul._errors import DownloadError, ExitCode, HaulError
from haul._events import Event, Failed, Finished, Notice, Progress, Started, Summary, Waiting
from haul._program import find as find_program

__all__ = [
    "BatchCheck",
    "BatchError",
    "BatchReport",
    "DownloadError",
    "Event",
    "ExitCode",
    "Failed",
    "Finished",
    "HaulError",
    "Notice",
    "Progress",
    "Source",
    "Started",
    "Summary",
    "Waiting",
    "batch",
    "check_batch",
    "download",
    "events",
    "find_program",
    "rows_of_parquet",
]
