#!/usr/bin/env python3
"""Makes the picture of docs/formats.md, encodings-light.svg and encodings-dark.svg: which encoding makes columns of
numbers smallest.

    cargo build --release -p bytelane-cli
    docs/pictures/encodings.py target/release/bytelane

Each cell is a column of 131,072 doubles between 10 and 100, of so many different ones, each of which has so many digits.
Sizes do not depend on the machine. The report's style sheet has the colours.
"""

import array
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
STYLE = HERE / "../../crates/bytelane-cli/src/commands/report/page/style.css"
FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
VALUES = 1 << 17
ALL_BITS = 17
DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, ALL_BITS]
DISTINCT = [1 << 2, 1 << 4, 1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16, VALUES]
# Of two that are equal, the first one counts.
ENCODINGS = ["plain", "dictionary", "byte_stream_split", "alp"]
COMPRESSION = "zstd:1"
ORDERS = {"random": "Numbers in random order", "series": "Numbers close to the ones before, as in a time series"}
# In a drawing as wide as WIDTH.
WIDTH, LEFT, TOP, CELL, LETTERS = 1000, 120, 130, 64, 22


def numbers(digits, distinct, generator):
    """Numbers between 10 and 100, or nothing if there are not so many of these digits."""
    if digits == ALL_BITS:
        return [10 + 90 * generator.random() for _ in range(distinct)]
    few = range(10 ** (digits - 1), 10**digits)
    if distinct > len(few):
        return None
    return [k / 10.0 ** (digits - 2) if digits > 1 else 10.0 * k for k in generator.sample(few, distinct)]


def column(among, order, generator):
    """Values from a list of numbers; all of them where there are as many."""
    whole = len(among) == VALUES
    if order == "random":
        return among if whole else generator.choices(among, k=VALUES)
    among = sorted(among)
    if whole:
        return [among[place] for place in sorted(range(VALUES), key=lambda place: place + generator.uniform(0, 256))]
    step = max(1, len(among) // 512)
    place, values = len(among) // 2, []
    for _ in range(VALUES):
        place = min(max(place + generator.randint(-step, step), 0), len(among) - 1)
        values.append(among[place])
    return values


def write(directory, order):
    """A file for each cell."""
    generator = random.Random(1)
    paths = {}
    for digits in DIGITS:
        for distinct in DISTINCT:
            among = numbers(digits, distinct, generator)
            if among is not None:
                path = directory / f"{digits}_{distinct}.f64"
                path.write_bytes(array.array("d", column(among, order, generator)).tobytes())
                paths[path.name] = (digits, distinct)
    return paths


def measure(program, order):
    """For each cell the bytes per value in each encoding."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        cells = write(directory, order)
        arguments = ["--encoding", ",".join(ENCODINGS), "--compression", COMPRESSION]
        quick = ["--sample", "1", "--format", "json"]
        files = [directory / path for path in cells]
        shown = subprocess.run(
            [program, "bench", "parquet", *files, *arguments, *quick], check=True, capture_output=True, text=True
        ).stdout
    sizes = {}
    for row in map(json.loads, shown.splitlines()):
        if row["compression"] == COMPRESSION:
            sizes.setdefault(cells[row["file"]], {})[row["encoding"]] = 8 / row["ratio"]
    return sizes


def text(x, y, words, css="label", anchor="middle", more=""):
    return f'<text class="{css}" x="{x}" y="{y}" text-anchor="{anchor}" font-size="{LETTERS}"{more}>{words}</text>'


def panel(sizes, order, top):
    """The cells of one order, each with its smallest size."""
    across = CELL * len(DIGITS)
    elements = [text(LEFT, top - 14, ORDERS[order], "title", "start")]
    for row, distinct in enumerate(reversed(DISTINCT)):
        y = top + CELL * row
        name = "all" if distinct == VALUES else str(distinct)
        elements.append(text(LEFT - 12, y + CELL / 2 + 8, name, anchor="end"))
        for column, digits in enumerate(DIGITS):
            if (of_cell := sizes.get((digits, distinct))) is None:
                continue
            best = min(of_cell, key=of_cell.get)
            css = best.replace("_", "-")
            x = LEFT + CELL * column
            elements.append(f'<rect class="area {css}" x="{x}" y="{y}" width="{CELL - 4}" height="{CELL - 4}" rx="8"/>')
            elements.append(text(x + CELL / 2 - 2, y + CELL / 2 + 6, f"{of_cell[best]:.1f}", "size"))
    below = top + CELL * len(DISTINCT) + 24
    for column, digits in enumerate(DIGITS):
        name = "bits" if digits == ALL_BITS else digits
        elements.append(text(LEFT + CELL * column + CELL / 2 - 2, below, name))
    elements.append(text(LEFT + across / 2, below + 34, "decimal digits of each number; bits: any double"))
    middle = top + CELL * len(DISTINCT) / 2
    elements.append(text(0, 0, "different numbers", more=f' transform="translate(30 {middle}) rotate(270)"'))
    return elements


def themes():
    """The colours of the light and the dark theme, by their names."""
    light, dark = STYLE.read_text().split("@media (prefers-color-scheme: dark)")
    colours = [dict(re.findall(r"--([\w-]+): (#\w+)", part)) for part in (light, dark)]
    return {"light": colours[0], "dark": {**colours[0], **colours[1]}}


def rules(colours):
    classes = [name.replace("_", "-") for name in ENCODINGS]
    lines = [
        f"svg {{ font-family: {FAMILY}; }}",
        ".area, text { fill: currentColor; }",
        f".label {{ color: {colours['soft']}; }}",
        f".title, .name {{ color: {colours['ink']}; }}",
        f".size {{ color: {colours['card']}; font-weight: 600; }}",
    ]
    return lines + [f".{css} {{ color: {colours[css]}; }}" for css in classes]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    title = "The smallest encoding with zstd at level 1, and its bytes per double"
    elements = [text(40, 44, title, "title", "start", ' font-weight="600"')]
    for place, name in enumerate(ENCODINGS):
        x = 50 + 240 * place
        elements.append(f'<circle class="area {name.replace("_", "-")}" cx="{x}" cy="76" r="9"/>')
        elements.append(text(x + 18, 84, name, "name", "start"))
    height = TOP + 20
    for order in ORDERS:
        elements += panel(measure(sys.argv[1], order), order, height)
        height += CELL * len(DISTINCT) + 110
    for theme, colours in themes().items():
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height - 30}" role="img" aria-label="{title}">',
            "<style>\n" + "\n".join(rules(colours)) + "\n</style>",
            f'<rect width="100%" height="100%" rx="20" fill="{colours["card"]}"/>',
            *elements,
            "</svg>\n",
        ]
        (HERE / f"encodings-{theme}.svg").write_text("\n".join(lines))


main()
