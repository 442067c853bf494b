/*
 * Effects of the options of the compiler and of annotations.
 */
include "shared.thrift"

const map<string, i32> SIZES = {"a": 1, "b": 2}
const set<string> NAMES = ["x", "y"]
const string NAME = "name"
const binary RAW = "\x00\xff"
const Everything EXAMPLE = {
  "name": NAME, "raw": RAW, "sizes": SIZES, "names": NAMES, "by_key": {Key{part = "p", marks = {"m": 1}}: ["n"]},
  "hashed": {"h": 1}, "exact": [0.5], "shared_text": "s", "own": {"name": "o"},
}

struct Everything {
  1: string name = "unnamed";
  2: binary raw;
  3: map<string, i32> sizes;
  4: set<string> names;
  5: optional Everything inside;
  6: map<Key, list<string>> by_key;
  7: map<string, i32> hashed (rust.type = "HashMap");
  8: list<double> exact (rust.type = "Vec<bytelane_thrift::Double>");
  9: string shared_text (rust.type = "Box<str>", rust.name = "text");
  10: shared.Header header;
  11: Choice choice;
  12: Hashed alias;
  13: Small own (rust.box);
  14: optional Small shared (rust.arc = "1");
  15: uuid id;
  16: Level level;
  17: optional Small pointed (rust.type = "Box<Little>");
}

/** Its containers have an order. */
struct Key {
  1: string part;
  2: map<string, i32> marks;
}

typedef set<i64> (rust.type = "HashSet") Hashed

union Choice {
  1: Choice again;
  2: binary raw;
}

@rust.Name{name = "Little"}
@rust.Derive{derives = ["std::cmp::Eq"]}
struct Small {
  1: string name;
}

@rust.Ord
struct Ranked {
  1: double weight;
}

enum Level {
  LOW = 1,
  @rust.Name{name = "Top"}
  HIGH = 2,
}

struct Flag { 1: bool set } (rust.derive = "Copy, std::cmp::Eq")

service Shop extends shared.Base {
  Everything put(1: map<string, binary> values) throws (1: shared.Refused refused, 2: Full full);
  oneway void drop(1: string name) (rust.name = "forget");
} (rust.name = "Store")

exception Full {
  1: i32 size;
}
