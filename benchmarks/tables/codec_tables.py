"""Tables computed from the records of codecs on all CPUs: speedups and lost cells by codec and by instruction set, and
every cell in which bytelane loses."""

import csv
import io
from pathlib import Path

from records import DIRECTORY, ratio, table

#: Cells of each codec in the record for its tables, and in the newest record of each CPU.
OF_CODEC = "of_codec join cells using (codec, age)"
OF_CPUS = "newest join cells using (codec, age)"

#: Followed by a condition for the peer: cells in which it is faster.
SLOWER = """select what, operation, data, values, gain, library from {} join names using (cell) join {} using (cell)
    where is_lost(gain) and {} order by codec_place, cell"""


class Codecs:
    """Tables from the newest record with each codec, of the CPU with most of the codecs, unless they name the CPU. So a
    record may cover only some codecs."""

    def __init__(self, database):
        database.execute((Path(__file__).parent / "codecs.sql").read_text())
        self.database = database
        self.codecs = [codec for [codec] in self.rows("from codecs select codec order by codec_place")]
        self.cpus = [cpu for [cpu] in self.rows("from cpus select cpu order by cpu_place")]

    def rows(self, query):
        return self.database.execute(query).fetchall()

    def tables(self):
        """Return functions that make the tables, by their names in the documents."""
        of_all = [self.headline, self.summary, self.backends, self.levels, self.lost, self.uncounted]
        of_codecs = {codec: lambda codec=codec: self.cells(codec) for codec in self.codecs}
        return {it.__name__: it for it in of_all} | of_codecs

    def names(self, relation="of_codec"):
        """Return the name of the record of each codec."""
        names = self.rows(f"select name from {relation} join records using (age) order by codec_place")
        return [name for [name] in names]

    def quoted(self, relation="of_codec"):
        """Return these names without repetition, as the documents quote them."""
        return ", ".join(f"`{name}`" for name in dict.fromkeys(self.names(relation)))

    def gains(self, *keys):
        """Return mean speedup, number of lost cells and of all, and lowest speedup on each CPU, by `keys`."""
        figures = self.rows(
            f"select {', '.join(keys)}, exp(avg(ln(gain))), count(*) filter (is_lost(gain)), count(*), min(gain)"
            f" from {OF_CPUS} join compared using (cell) where is_active and gain is not null group by {', '.join(keys)}"
        )
        return {row[: len(keys)]: row[len(keys) :] for row in figures}

    def headline(self):
        mean, lost, cases, _ = self.gains("cpu")[self.cpus[0],]
        return (
            f"**{ratio(mean)} times as fast as the fastest other library**: the geometric mean of {cases} measured cases on"
            f" {self.cpus[0]}, of which\n{lost} are lost ([all results](docs/performance.md)).\n"
        )

    def summary(self):
        rows = []
        gains = self.gains("codec", "cpu") | {("all", *cpu): row for cpu, row in self.gains("cpu").items()}
        for codec in [*self.codecs, "all"]:
            figures = [gains.get((codec, cpu)) for cpu in self.cpus]
            cells = [(ratio(it[0]), f"{it[1]} of {it[2]}") if it else (None, None) for it in figures]
            if any(figures):
                rows.append(["all" if codec == "all" else f"`{codec}`", *sum(cells, ())])
        text = (
            "Each cell is one codec, operation, size and data set, against the fastest of the other libraries in the\n"
            "same run. The figures are the geometric mean of the speedups, and the cells in which another library is\n"
            f"faster by more than 5%. Records: `{DIRECTORY}`.\n\n"
        )
        titles = ["codec", *sum(((cpu, "lost") for cpu in self.cpus), ())]
        return text + table(titles, "l" + "rl" * len(self.cpus), rows)

    def operations(self):
        """Return the operations of each codec, in the order of its record."""
        return self.rows(f"select codec, operation from {OF_CODEC} group by all order by min(codec_place), min(cell)")

    def levels(self):
        text = (
            "Geometric mean of the speedups over the fastest other library, number of lost cells, and the\n"
            "lowest speedup. A column that names an instruction set is from a record in which every library\n"
            "was limited to it.\n"
        )
        gains = self.gains("codec", "operation", "cpu")
        for cpu in self.cpus:
            levels = [it for it in self.cpus if it == cpu or it.startswith(f"{cpu}, ")]
            if len(levels) == 1:
                continue
            rows = []
            for codec, operation in self.operations():
                figures = [gains.get((codec, operation, level)) for level in levels]
                cells = [(ratio(it[0]), f"{it[1]} of {it[2]}", ratio(it[3])) if it else (None,) * 3 for it in figures]
                if any(figures):
                    rows.append([f"`{codec}`", operation, *sum(cells, ())])
            names = self.quoted(f"(from newest where cpu in ({str(levels)[1:-1]}))").split(", ")
            titles = ["codec", "operation", *sum(((level, "lost", "lowest") for level in levels), ())]
            text += f"\n{', '.join(sorted(names))}:\n\n" + table(titles, "ll" + "rlr" * len(levels), rows)
        return text

    def backends(self):
        """Return the medians by codec, operation and instruction set."""
        rows = []
        for codec, operation, backend, *figures in self.rows(f"""
            with works as (select codec, operation, min(codec_place) as codec_place, min(age) as age, min(cell) as first
                    from {OF_CODEC} group by codec, operation),
                sets as (select distinct age, backend, rank from cells join compared using (cell)),
                own as (select codec, operation, age, compared.* from {OF_CODEC} join compared using (cell))
            select codec, operation, backend, list_sort(list(of_memcpy)), list_sort(list(scalar_ns / ns)),
                count(*) filter (is_won(gain)), count(*) filter (not is_won(gain) and not is_lost(gain)),
                count(*) filter (is_lost(gain))
            from works join sets using (age) left join own using (codec, operation, age, backend)
            group by codec, operation, backend order by min(codec_place), min(first), min(sets.rank)"""):
            medians = [[it for it in figure if it is not None] for figure in figures[:2]]
            medians = [ratio(it[len(it) // 2]) if it else "-" for it in medians]
            cells = ["missing", *[None] * 4] if medians[0] == "-" else [*medians, *figures[2:]]
            rows.append([f"`{codec}`", operation, backend, *cells])
        titles = ["codec", "operation", "backend", "x memcpy", "x scalar", "won", "tied", "lost"]
        return (
            f"Medians over sizes and data ({self.quoted()}). The first two figures are multiples of the speed of `memcpy` and of\n"
            "the scalar backend; the last three columns count cells against the fastest peer,\n"
            "which is limited to the same instruction set if it can be.\n\n"
        ) + table(titles, "l" * 8, rows)

    def slower(self, relation, peers, condition):
        """Return a table of the cells in which a peer is faster; empty if there are none."""
        cells = self.rows(SLOWER.format(relation, peers, condition))
        rows = [[*work, ratio(gain), library] for *work, gain, library in cells]
        return table(["codec", "operation", "data", "values", "x peer", "peer"], "l" * 6, rows), bool(rows)

    def lost(self):
        text = "Every lost cell. The last figure is our speed as a multiple of the peer's.\n"
        for cpu in self.cpus:
            cells, is_any = self.slower(OF_CPUS, "compared", f"is_active and cpu = '{cpu}'")
            if is_any:
                names = self.quoted(f"(from newest where cpu = '{cpu}')")
                text += f"\n**{cpu}**: {names}.\n\n{cells}"
        return text

    def uncounted(self):
        reasons = self.rows("select library || ' ' || reason || ' (`' || codec || '`)' from uncounted")
        peers = """(select cell, arg_min(peers.library, (peers.ns, place)) as library, min(peers.ns) / any_value(active.ns) as gain
            from peers join active using (cell) where not counts group by cell)"""
        reasons = "; ".join(reason for [reason] in reasons)
        return f"Peers that do not count, where they are faster. {reasons}.\n\n{self.slower(OF_CODEC, peers, 'true')[0]}"

    def cells(self, codec):
        """Return every cell of a codec, with its operations side by side."""
        cells = self.rows(
            f"select what, data, values, operation, of_memcpy, gain, library from {OF_CODEC} join names using (cell)"
            f" left join (from compared where is_active) as compared using (cell) where codec = '{codec}' order by cell"
        )
        if not cells:
            return "No record contains this codec yet.\n"
        operations = list(dict.fromkeys(cell[3] for cell in cells))
        found = {}
        for *work, operation, of_memcpy, gain, library in cells:
            peer = "" if gain is None else f"{ratio(gain)}, {library}"
            figures = (None, None) if of_memcpy is None else (ratio(of_memcpy), peer)
            found.setdefault(tuple(work), {}).setdefault(operation, figures)
        rows = [[*work, *sum((of.get(it, (None, None)) for it in operations), ())] for work, of in found.items()]
        titles = ["codec", "data", "values", *sum(((f"{it}: x memcpy", "x fastest peer") for it in operations), ())]
        [name] = self.names(f"(from of_codec where codec = '{codec}')")
        return f"Every cell of the record (`{name}`).\n\n" + table(titles, "l" * len(titles), rows)

    def fastest_peers(self):
        """Return the fastest peer of each cell and our speedup over it, as CSV below the dates and CPUs of the records."""
        out = io.StringIO()
        dates = sorted(Path(name).stem[: len("2026-11-23")] for name in self.names())
        cpus = self.rows("select distinct cpu from of_codec order by cpu")
        out.write(f"# {' to '.join(sorted({dates[0], dates[-1]}))}, {' and '.join(cpu for [cpu] in cpus)}\n")
        columns = "codec,parameters,operation,type,data,values,library,speedup"
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns.split(","))
        writer.writerows(
            [*cell, f"{gain:.3f}"]
            for *cell, gain in self.rows(
                f"select {columns.replace('speedup', 'gain')} from {OF_CODEC} join compared using (cell)"
                " where is_active and gain is not null order by codec_place, cell"
            )
        )
        return out.getvalue()
