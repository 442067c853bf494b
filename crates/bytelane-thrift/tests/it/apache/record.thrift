namespace rs record

enum Level {
  LOW = 0,
  HIGH = 5,
}

union Mark {
  1: string name,
  2: list<i64> numbers,
}

struct Record {
  1: required i32 id,
  2: optional bool flag,
  3: optional i8 small,
  4: optional i16 short_number,
  5: optional i64 big,
  6: optional double real,
  7: optional string text,
  8: optional binary data,
  9: optional Level level,
  10: optional Mark mark,
  11: optional list<Record> records,
  12: optional set<i32> numbers,
  13: optional map<string, list<bool>> by_text,
  14: optional map<double, map<i16, string>> by_real,
  15: optional map<bool, binary> by_flag,
}

/** The same of an earlier version, which knows few of the fields. */
struct Earlier {
  1: required i32 id,
  7: optional string text,
}

exception Missing {
  1: i32 id,
}

service Records {
  Record find(1: i32 id) throws (1: Missing missing),
  oneway void store(1: Record record),
}
