"""Compares Polars with bytelane's source and with its own reader, by four queries of TPC-H.

    pip install "./crates/bytelane-python[polars]" pyarrow duckdb tpchgen-cli
    tpchgen-cli parquet --tables lineitem,orders,part --scale-factor 1 --output-dir tables/tpchgen
    python benchmarks/python/engines.py write tables
    taskset -c 1 python benchmarks/python/engines.py tables 1
    taskset -c 0,1 python benchmarks/python/engines.py tables 2

`write` writes the tables again with pyarrow, Polars and DuckDB, each with its defaults. Each query runs in a process of its own, which
runs it once before it measures three times; the processes of both readers alternate, twice each. A row has the medians of wall time, and
their ratio: more than 1 means that bytelane is faster. The results of both readers must agree.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl

WRITERS = ["tpchgen", "pyarrow", "polars", "duckdb"]
c = pl.col


def day(year: int, month: int) -> datetime.date:
    return datetime.date(year, month, 1)


def q1(tables: Any) -> pl.LazyFrame:
    price = c("l_extendedprice") * (1 - c("l_discount"))
    return (
        tables("lineitem")
        .filter(c("l_shipdate") <= datetime.date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            quantity=c("l_quantity").sum(),
            base=c("l_extendedprice").sum(),
            discounted=price.sum(),
            charge=(price * (1 + c("l_tax"))).sum(),
            mean_quantity=c("l_quantity").mean(),
            mean_price=c("l_extendedprice").mean(),
            mean_discount=c("l_discount").mean(),
            count=pl.len(),
        )
        .sort("l_returnflag", "l_linestatus")
    )


def q6(tables: Any) -> pl.LazyFrame:
    is_chosen = (
        c("l_shipdate").is_between(day(1994, 1), day(1995, 1), closed="left")
        & c("l_discount").is_between(Decimal("0.05"), Decimal("0.07"))
        & (c("l_quantity") < 24)
    )
    return tables("lineitem").filter(is_chosen).select((c("l_extendedprice") * c("l_discount")).sum())


def q12(tables: Any) -> pl.LazyFrame:
    is_chosen = (
        c("l_shipmode").is_in(["MAIL", "SHIP"])
        & (c("l_commitdate") < c("l_receiptdate"))
        & (c("l_shipdate") < c("l_commitdate"))
        & c("l_receiptdate").is_between(day(1994, 1), day(1995, 1), closed="left")
    )
    is_high = c("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
    joined = tables("orders").join(tables("lineitem").filter(is_chosen), left_on="o_orderkey", right_on="l_orderkey")
    return joined.group_by("l_shipmode").agg(high=is_high.sum(), low=(~is_high).sum()).sort("l_shipmode")


def q14(tables: Any) -> pl.LazyFrame:
    shipped = tables("lineitem").filter(c("l_shipdate").is_between(day(1995, 9), day(1995, 10), closed="left"))
    price = c("l_extendedprice") * (1 - c("l_discount"))
    promoted = pl.when(c("p_type").str.starts_with("PROMO")).then(price).otherwise(0).sum()
    joined = shipped.join(tables("part"), left_on="l_partkey", right_on="p_partkey")
    return joined.select(promoted=promoted.cast(pl.Float64) / price.sum().cast(pl.Float64))


QUERIES = {"Q1": q1, "Q6": q6, "Q12": q12, "Q14": q14}


def measure(query: str, reader: str, directory: str) -> None:
    """Prints the seconds of a query, and its result."""
    from bytelane.polars import scan_parquet

    scan = scan_parquet if reader == "bytelane" else pl.scan_parquet
    times = []
    for _ in range(4):
        start = time.perf_counter()
        found = QUERIES[query](lambda name: scan(f"{directory}/{name}.parquet")).collect()
        times.append(time.perf_counter() - start)
    print(json.dumps({"times": times[1:], "result": found.write_csv(float_precision=6)}))


def compare(directory: Path, cores: int, only: list[str]) -> None:
    print("cores,writer,query,polars ms,bytelane ms,ratio")
    environment = os.environ | {"POLARS_MAX_THREADS": str(cores)}
    for writer in WRITERS:
        for query in QUERIES:
            if only and writer not in only and query not in only:
                continue
            times: dict[str, list[float]] = {"polars": [], "bytelane": []}
            results = set()
            for _ in range(2):
                for reader in times:
                    line = [sys.executable, __file__, "measure", query, reader, str(directory / writer)]
                    done = subprocess.run(line, env=environment, capture_output=True, check=True, text=True)
                    found = json.loads(done.stdout)
                    times[reader] += found["times"]
                    results.add(found["result"])
            assert len(results) == 1, results
            own, ours = median(times["polars"]), median(times["bytelane"])
            print(f"{cores},{writer},{query},{own * 1e3:.1f},{ours * 1e3:.1f},{own / ours:.2f}", flush=True)


def write(directory: Path) -> None:
    import duckdb
    import pyarrow.parquet as pq

    for name in ("lineitem", "orders", "part"):
        source = str(directory / f"tpchgen/{name}.parquet")
        for writer in WRITERS[1:]:
            (directory / writer).mkdir(exist_ok=True)
        pq.write_table(pq.read_table(source), directory / f"pyarrow/{name}.parquet")
        pl.scan_parquet(source).sink_parquet(directory / f"polars/{name}.parquet")
        duckdb.sql(f"copy (from '{source}') to '{directory}/duckdb/{name}.parquet'")


def main(arguments: list[str]) -> None:
    if arguments[0] == "write":
        write(Path(arguments[1]))
    elif arguments[0] == "measure":
        measure(*arguments[1:])
    else:
        compare(Path(arguments[0]), int(arguments[1]), arguments[2:])


if __name__ == "__main__":
    main(sys.argv[1:])
