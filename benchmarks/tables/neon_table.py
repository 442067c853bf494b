"""The table of estimates for NEON, by LLVM's models of processors."""

from records import table

#: Processors, by llvm-mca's name and the usual name.
PROCESSORS = {"neoverse-n1": "N1", "neoverse-v2": "V2", "cortex-a57": "A57"}

#: Each of our loops on each processor, and the fastest loop of another library for the same work.
QUERY = """
    with newest as (from estimates where age = (select min(age) from estimates)),
        peers as (select codec, operation, data, processor, max(bytes / cycles) as peer_speed,
            arg_max(library, bytes / cycles) as library from newest where library <> '' group by all)
    select codec, operation, data, bytes, processor, cycles, bytes / cycles, peers.library, bytes / cycles / peer_speed
    from newest left join peers using (codec, operation, data, processor) where newest.library = '' order by place"""


def estimates(database):
    """Return the newest estimates in Markdown."""
    loops = {}
    for *work, processor, cycles, speed, library, speedup in database.execute(QUERY).fetchall():
        loops.setdefault(tuple(work), {})[processor] = (cycles, speed, library, speedup)
    if not loops:
        raise LookupError("no record has estimates for NEON")

    def row(work, figures):
        def all_processors(column):
            return " / ".join(f"{figures[it][column]:.1f}" if it in figures else "-" for it in PROCESSORS)

        library = figures.get("neoverse-n1", [None] * 4)[2]
        codec, *work = work
        return [f"`{codec}`", *work, all_processors(0), all_processors(1), library or "", all_processors(3) if library else ""]

    [[name]] = database.execute("select name from records where age = (select min(age) from estimates)").fetchall()
    titles = ["codec", "operation", "values", "bytes", "cycles", "bytes per cycle", "fastest peer", "x peer"]
    return (
        f"Estimates (`{name}`) for {' / '.join(PROCESSORS.values())}, by "
        "`llvm-mca-19 -mtriple=aarch64 -mcpu=neoverse-n1 -iterations=200 loop.s` and the like.\n\n"
    ) + table(titles, "l" * 8, [row(*it) for it in loops.items()])
