"""The job of a user: downloads a manifest with haul.spark in a cluster that runs.

    python spark_job.py MASTER FOLDER OUT PARQUET OPTIONS
"""

import json
import sys

from pyspark.sql import SparkSession

import haul.spark

if __name__ == "__main__":
    master, folder, out, parquet, options = sys.argv[1:]
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "8",
        "spark.speculation": "true",
        "spark.speculation.interval": "200ms",
        "spark.speculation.multiplier": "1.2",
        "spark.speculation.quantile": "0.3",
        # By the time alone: all rows are read long before a task ends.
        "spark.speculation.efficiency.enabled": "false",
        "spark.task.maxFailures": "8",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file://{folder}/events",
        "spark.local.dir": f"{folder}/local",
    }
    builder = SparkSession.builder.appName("haul fleet").master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    results = haul.spark.download(spark.read.parquet(f"file://{parquet}"), out, **json.loads(options))
    print(json.dumps({row["state"]: row["count"] for row in results.groupBy("state").count().collect()}), flush=True)
    spark.stop()
