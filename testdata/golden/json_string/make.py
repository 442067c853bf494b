"""Makes the golden files of json_string: texts, and what Python's json module writes of them.

    python make.py
"""

import json
import pathlib

HERE = pathlib.Path(__file__).parent

ASCII = "".join(map(chr, range(128)))
EDGES = "".join(map(chr, (0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF)))

TEXTS = {
    "empty": "",
    "ascii": ASCII,
    "controls": "".join(chr(i * 7 % 32) + "x" * (i % 5) for i in range(150)),
    "quotes": '"' * 70 + "\\" * 131 + '\\"' * 40 + "/",
    "paths": "".join(f"C:\\temp\\{i}.txt\t\"{i * i}\"\r\n" for i in range(40)),
    "prose": "Letters, spaces; and punctuation - nothing that needs an escape. " * 12,
    "sparse": "".join("a" * (i * 37 % 97) + '"\\\n\t'[i % 4] for i in range(60)),
    "latin": "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. " * 5,
    "chinese": "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏" * 9,
    "emoji": "".join(map(chr, range(0x1F600, 0x1F640))) * 3,
    "mixed": "".join(f"é漢😀\n{'b' * (i % 11)}\u2028\"" for i in range(40)),
    "edges": EDGES * 12,
}

for name, text in TEXTS.items():
    HERE.joinpath(f"{name}.values").write_bytes(text.encode())
    HERE.joinpath(f"{name}.bytes").write_bytes(json.dumps(text, ensure_ascii=False).encode())
    HERE.joinpath(f"{name}.ascii").write_bytes(json.dumps(text, ensure_ascii=True).encode())
