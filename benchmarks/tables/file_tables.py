"""Tables computed from the newest record of whole Parquet files with each of them."""

from itertools import groupby

from records import ratio, table

#: Other libraries, by their names in the record and in the documents.
OTHERS = {"parquet": "`parquet`", "pyarrow": "pyarrow", "duckdb": "DuckDB", "polars": "Polars"}
NAMES = {"bytelane": "bytelane"} | OTHERS

#: Kinds of rows, by what follows the name of a file. Older records also have lineitem in the regime of columns.
KIND = """case when "column" like '%, written' then 'written' when "column" like '%, merged' then 'merged'
    when "column" like '%, query' then 'query' when regime = '' and "column" like 'lineitem%' then 'lineitem'
    when regime = '' then 'column' else 'read' end"""


class Files:
    def __init__(self, database):
        # Groups: consecutive rows of one file. Seconds: CPU time with one thread, otherwise the elapsed time.
        database.execute(f"""
            create table file_rows as
            select *, {KIND} as kind, case threads when 1 then cpu_seconds else wall_seconds end as seconds,
                regexp_replace("column", ', (written|merged|query)$', '') as file
            from files""")
        self.database = database

    def tables(self):
        """Return functions that make the tables, by their names in the documents."""
        of = {"parquet": ("column", self.columns), "tables": ("read", self.read)}
        of |= {"writing": ("written", self.written), "merging": ("merged", self.merged), "queries": ("query", self.queries)}
        return {name: lambda kind=kind, make=make: make(*self.newest(kind)) for name, (kind, make) in of.items()}

    def newest(self, kind):
        """Return the newest record with rows of a kind, and these rows."""
        query = "from file_rows where kind = ? and age = (select min(age) from file_rows where kind = ?) order by place"
        result = self.database.execute(query, [kind, kind])
        columns = [column[0] for column in result.description]
        rows = [dict(zip(columns, row)) for row in result.fetchall()]
        if not rows:
            raise LookupError(f"no record has rows of the kind {kind!r}")
        name = self.database.execute("select name from records where age = ?", [rows[0]["age"]]).fetchone()
        return name[0], rows

    def columns(self, name, rows):
        """Return the single-column files, with the speed of each library."""
        cells = []
        for _, file in groupby(rows, same_file):
            of = {row["library"]: row for row in file}
            if not {"bytelane", "parquet", "pages"} <= set(of):
                continue
            ours = of["bytelane"]
            cells.append([
                *same_file(ours),
                f"{ours['values'] / ours['cpu_seconds'] / 1e6:.0f}",
                *(ratio(of[it]["cpu_seconds"] / ours["cpu_seconds"]) if it in of else "" for it in OTHERS),
                percent(of["pages"]["cpu_seconds"] / ours["cpu_seconds"]),
                ratio(ours["peak_bytes"] / of["parquet"]["peak_bytes"]),
            ])
        titles = ["column", "encoding", "compression", "speed", *(f"x {it}" for it in OTHERS.values()), "pages", "memory"]
        return (
            f"One column per file, read to Arrow arrays on one core: `{name}`.\n"
            "The speed is in millions of values per second of CPU time. The columns with x say how many times as fast as\n"
            "another library bytelane is. Pages: the share of the time that reading and decompressing the pages takes.\n"
            "Memory: the peak, as a multiple of what the crate `parquet` takes.\n\n"
        ) + table(titles, "l" * len(titles), cells)

    def read(self, name, rows):
        """Return the files that several programs write, in both regimes."""
        cells = []
        for _, file in groupby(rows, lambda row: (*same_file(row), row["threads"])):
            file = list(file)
            of = {(row["library"], row["regime"]): row for row in file}
            cells.append([
                file[0]["file"],
                file[0]["encoding"].removesuffix("'s defaults"),
                file[0]["compression"],
                file[0]["threads"],
            ])
            for regime in ["first", "steady"]:
                fastest, library = min((of[it, regime]["seconds"], NAMES[it]) for it in OTHERS if (it, regime) in of)
                ours = of["bytelane", regime]["seconds"]
                cells[-1] += [f"{ours:.3f}", f"{ratio(fastest / ours)}, {library}"]
            views = of.get(("bytelane-views", "steady"))
            peaks = [of[it, "steady"]["peak_bytes"] for it in ["bytelane", "polars"]]
            cells[-1] += [
                f"{views['seconds']:.3f}, {ratio(fastest / views['seconds'])}" if views else "",
                f"{of['memcpy', 'steady']['seconds']:.3f}",
                ratio(peaks[0] / peaks[1]),
            ]
        titles = "table,writer,compression,threads,first,x fastest,steady,x fastest,as views,roof,memory".split(",")
        return (
            "Tables of TPC-H at scale 1, read to Arrow arrays by the Python packages, and by the crate `parquet` with one thread:\n"
            f"`{name}`. The time is in seconds, of the CPU with one thread, else elapsed. The other\n"
            "columns say how many times as fast as the fastest other library bytelane is. First: the first read of a process.\n"
            "Steady: the best of seven reads after it. As views: the same with strings as views, in which form\n"
            "Polars returns them. Roof: the same for `memcpy` of the table to memory that is kept. Memory: the peak\n"
            "of eight reads, as a multiple of Polars's.\n\n"
        ) + table(titles, "l" * len(titles), cells)

    def queries(self, name, rows):
        """Return the time of each library for each query."""
        cells = []
        for query, file in groupby(rows, lambda row: row["file"]):
            file = list(file)
            of = {row["library"]: row["cpu_seconds"] for row in file}
            times = [of[it] for it in NAMES]
            cells.append([query, file[0]["rows"], *(f"{it * 1e3:.1f}" for it in times), ratio(min(times[1:]) / times[0])])
        titles = ["query", "rows", *NAMES.values(), "x fastest"]
        return (
            f"Rows of TPC-H's lineitem at scale 1 that satisfy a condition, as pyarrow writes the file, on one core: `{name}`.\n"
            "Milliseconds of CPU time, the median of seven reads in the steady state. The last column says how many times as fast\n"
            "as the fastest other library bytelane is.\n\n"
        ) + table(titles, "l" + "r" * (len(titles) - 1), cells)

    def written(self, name, rows):
        """Return a row for each table, compression, number of threads and library."""
        work = lambda row: (*same_file(row), row["threads"])  # noqa: E731
        times = {(work(row), row["library"], row["regime"]): row["seconds"] for row in rows}
        cells = []
        for row in rows:
            if row["regime"] != "steady":
                continue
            cells.append([row["file"], row["compression"], row["threads"], NAMES[row["library"]]])
            for regime in ["first", "steady"]:
                seconds = times[work(row), row["library"], regime]
                cells[-1] += [f"{seconds:.3f}", ratio(seconds / times[work(row), "bytelane", regime])]
            cells[-1] += [f"{row['file_bytes'] / 1e6:.1f} MB", f"{row['peak_bytes'] / 1e6:.0f} MB"]
        titles = "table,compression,threads,library,first,x,steady,x,size,memory".split(",")
        return (
            "Tables of TPC-H at scale 1, and single columns, written from memory by the Python packages and by the crate `parquet`, with\n"
            f"all defaults but for the compression: `{name}`. The time is in\n"
            "seconds, of the CPU with one thread, else elapsed; x is the time of bytelane times this. First: the first write of a\n"
            "process. Steady: the best of two to seven writes after it. Memory: the peak of all writes beyond the table.\n\n"
        ) + table(titles, "l" * len(titles), cells)

    def merged(self, name, rows):
        """Return a row for each set of files and program, the first of which is `merge`."""
        cells = []
        for files, programs in groupby(rows, lambda row: row["file"]):
            programs = list(programs)
            for row in programs:
                seconds = row["cpu_seconds"]
                cells.append([
                    files,
                    f"{NAMES[row['library']]}, {row['encoding']}",
                    f"{seconds:.3f}",
                    ratio(seconds / programs[0]["cpu_seconds"]),
                    f"{row['peak_bytes'] / 1e6:.0f} MB",
                    f"{row['file_bytes'] / 1e6:.1f} MB",
                ])
        return (
            "Files of ten columns, written by pyarrow with Snappy, merged into row groups of up to a million rows by the Python packages\n"
            f"on one core: `{name}`. The time is in seconds of the CPU, in a process of its\n"
            "own, without imports; x is the time of `merge` times this. The memory is beyond what the process had before.\n\n"
        ) + table(["files", "program", "time", "x", "memory", "output"], "l" * 6, cells)


def same_file(row):
    return (row["file"], row["encoding"], row["compression"])


def percent(share):
    return f"{share * 100:.0f}%"
