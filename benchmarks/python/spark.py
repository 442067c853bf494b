"""Compares scans of Spark with bytelane's source and with its own vectorised reader.

    pip install "./crates/bytelane-python[spark]"
    python benchmarks/python/spark.py tables/*/lineitem.parquet

The files are those of `engines.py`. A query reads two columns of lineitem, with a condition on a third one, or of all rows; in local mode,
with one task at a time and with two. Readers alternate, after one query of each that is not measured. A row has the medians of wall time, and their
ratio: more than 1 means that bytelane is faster.
"""

from __future__ import annotations

import os
import sys
import time
from statistics import median
from typing import Any

from bytelane.spark import ParquetDataSource
from pyspark.sql import SparkSession

COLUMNS = "l_extendedprice,l_discount"
CONDITIONS = {"one year": "l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'", "all rows": "true"}
ROUNDS = 5


def main(paths: list[str]) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    print("tasks,file,rows,spark ms,bytelane ms,ratio")
    for tasks in (1, 2):
        builder: Any = SparkSession.builder
        spark = builder.master(f"local[{tasks}]").config("spark.ui.enabled", False).config("spark.log.level", "OFF").getOrCreate()
        spark.dataSource.register(ParquetDataSource)
        for path in paths:
            for name, condition in CONDITIONS.items():

                def own(path: str = path, condition: str = condition) -> Any:
                    return spark.read.parquet(path).where(condition).select(*COLUMNS.split(","))

                def ours(path: str = path, condition: str = condition) -> Any:
                    options = {"columns": COLUMNS} | ({} if name == "all rows" else {"filters": condition})
                    return spark.read.format("bytelane").options(**options).load(path)

                times: dict[Any, list[float]] = {own: [], ours: []}
                results = set()
                for _ in range(ROUNDS + 1):
                    for read, taken in times.items():
                        start = time.perf_counter()
                        results.add(str(read().selectExpr("count(*)", "sum(l_extendedprice * l_discount)").collect()[0]))
                        taken.append(time.perf_counter() - start)
                assert len(results) == 1, results
                one, other = (median(taken[1:]) for taken in times.values())
                print(f"{tasks},{path},{name},{one * 1e3:.0f},{other * 1e3:.0f},{one / other:.2f}", flush=True)
        spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
