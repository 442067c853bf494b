// Included by everything.thrift.
namespace rs common.shared

typedef i64 Timestamp

enum Priority {
  LOW = -1,
  HIGH = 10,
}

struct Header {
  1: required string trace_id,
  2: optional Timestamp at,
}

const i32 LIMIT = 100

exception Refused {
  1: string reason,
}

service Base {
  void ping(),
}
