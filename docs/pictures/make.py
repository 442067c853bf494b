#!/usr/bin/env python3
"""Makes the README's pictures from the first chart over sizes of a report: throughput-light.svg and throughput-dark.svg.

    cargo run --release -- report --only sizes -o target/report.html
    docs/pictures/make.py target/report.html

The report's own style sheet has the colours of both themes; a picture has those that its chart uses.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
MARGIN = 100
HEADER = 590
LETTERS = 130
# Columns and lines of the legend.
COLUMN = 960
LINE = 190
COLUMNS = 4


def themes(style):
    """The colours of the light and the dark theme, by their names."""
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    colours = [dict(re.findall(r"--([\w-]+): (#\w+)", part)) for part in (light, dark)]
    return {"light": colours[0], "dark": {**colours[0], **colours[1]}}


def legend(names):
    """Dots and names, in lines of a few columns."""
    elements = []
    for place, (css, name) in enumerate(names):
        line, column = divmod(place, COLUMNS)
        x, y = MARGIN + COLUMN * column, 365 + LINE * line
        elements.append(f'<circle class="area {css}" cx="{x + 50}" cy="{y - 45}" r="45"/>')
        elements.append(f'<text class="name" x="{x + 130}" y="{y}" font-size="{LETTERS}">{name}</text>')
    return elements


def rules(classes, colours):
    """The rules of the report's style sheet that matter for a chart."""
    lines = [
        f"svg {{ font-family: {FAMILY}; }}",
        ".line { fill: none; stroke: currentColor; stroke-width: 24; stroke-linejoin: round; }",
        ".line.grid, .line.axis { stroke-width: 8; }",
        ".line.memcpy { stroke-dasharray: 60 40; }",
        ".area, text { fill: currentColor; }",
        f".grid {{ color: {colours['edge']}; }}",
        f".axis, .label {{ color: {colours['soft']}; }}",
        f".title, .name {{ color: {colours['ink']}; }}",
    ]
    return lines + [f".{css} {{ color: {colours[css]}; }}" for css in classes]


def main():
    page = pathlib.Path(sys.argv[1]).read_text()
    section = page.split('<section id="sizes">')[1]
    names = re.findall(r'<li class="([\w-]+)"><span>([^<]+)</span>', section.split("</ul>")[0])
    caption, width, height, elements = re.search(
        r'<figcaption>([^<]+)</figcaption>\s*<svg viewBox="0 0 (\d+) (\d+)"[^>]*>\n(.*?)</svg>', section, re.DOTALL
    ).groups()
    # Dots tell their values when they are hovered, which a picture does not.
    elements = re.sub(r"<title>.*?</title>", "", elements)
    names = [(css, name) for css, name in names if f'line {css}"' in elements]
    size = f"0 0 {width} {int(height) + HEADER}"
    for theme, colours in themes(page).items():
        style = "\n".join(rules([css for css, _ in names], colours))
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" role="img" aria-label="{caption}">',
            f"<style>\n{style}\n</style>",
            f'<rect width="100%" height="100%" rx="120" fill="{colours["card"]}"/>',
            f'<text class="title" x="{MARGIN}" y="190" font-size="{LETTERS}" font-weight="600">{caption}</text>',
            *legend(names),
            f'<g transform="translate(0 {HEADER})">\n{elements}</g>',
            "</svg>\n",
        ]
        (HERE / f"throughput-{theme}.svg").write_text("\n".join(lines))


main()
