"""Programs that read Parquet files: for each name in the table, functions that return its version and read a column.

Each is imported only on request, so that not all need to be installed.
"""

import concurrent.futures
import json
import numbers
import struct
import subprocess
from pathlib import Path

GO = Path(__file__).parent / "go"


def bits(values):
    """Returns floats as their bits: NaN equals NaN, zeros have signs."""
    def is_float(value):
        return isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral)
    return [struct.pack("<d", value) if is_float(value) else value for value in values]


def pyarrow():
    import pyarrow
    import pyarrow.parquet
    return pyarrow.__version__, lambda path: bits(pyarrow.parquet.ParquetFile(path).read()["x"].to_pylist())


def duckdb():
    import duckdb
    return duckdb.__version__, lambda path: bits(x for (x,) in duckdb.sql(f"select x from '{path}'").fetchall())


def polars():
    import polars

    def read(path):
        try:
            return bits(polars.read_parquet(path)["x"].to_list())
        except polars.exceptions.PanicException as panic:
            # A panic is not an `Exception`.
            raise ValueError(f"panic: {panic}") from panic
    return polars.__version__, read


def fastparquet():
    import fastparquet

    def read(path):
        # A file that it cannot read may end the process.
        with concurrent.futures.ProcessPoolExecutor(1) as process:
            return process.submit(read_with_fastparquet, path).result()
    return fastparquet.__version__, read


def read_with_fastparquet(path):
    import fastparquet
    import pandas
    # Compare strings: fastparquet does not distinguish NaN from null.
    values = fastparquet.ParquetFile(str(path)).to_pandas()["x"].tolist()
    return [None if pandas.isna(value) else repr(value) for value in values]


def spark_session():
    from pyspark.sql import SparkSession
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.master("local[1]")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def read_with_spark(vectorised):
    session = spark_session()

    def read(path):
        session.conf.set("spark.sql.parquet.enableVectorizedReader", vectorised)
        return bits(x for (x,) in session.read.parquet(str(path)).collect())
    return read


def spark():
    """Returns Spark's vectorised reader."""
    import pyspark
    return pyspark.__version__, read_with_spark("true")


def parquet_java():
    """Returns parquet-java as used in Spark, without Spark's vectorised reader."""
    import pyspark
    (library,) = (Path(pyspark.__file__).parent / "jars").glob("parquet-hadoop-[0-9]*.jar")
    return library.stem.removeprefix("parquet-hadoop-"), read_with_spark("false")


def go(package, module):
    """Returns a program in Go: it reads a path from each line of its input, and prints an object on each line of its
    output."""
    version = ["go", "list", "-m", "-f", "{{.Version}}", module]
    version = subprocess.run(version, cwd=GO, check=True, capture_output=True, text=True).stdout.strip()
    program = subprocess.Popen(
        ["go", "run", package], cwd=GO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )

    def read(path):
        print(Path(path).absolute(), file=program.stdin, flush=True)
        answer = json.loads(program.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["values"]
    return version, read


PROGRAMS = {
    "pyarrow": pyarrow,
    "duckdb": duckdb,
    "polars": polars,
    "fastparquet": fastparquet,
    "spark": spark,
    "parquet-java": parquet_java,
    "arrow-go": lambda: go("./arrow", "github.com/apache/arrow-go/v18"),
    "parquet-go": lambda: go("./parquet", "github.com/parquet-go/parquet-go"),
}
