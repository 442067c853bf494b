/**
 * The methods of Apache Thrift's ThriftTest and SecondService, with their names and types on the
 * wire, and a service that extends the first.
 */
namespace py thrift_test
namespace cpp thrift_test

enum Numberz { ONE = 1, TWO, THREE, FIVE = 5, SIX, EIGHT = 8 }

typedef i64 UserId

struct Xtruct {
  1: string string_thing,
  4: i8 byte_thing,
  9: i32 i32_thing,
  11: i64 i64_thing,
}

struct Xtruct2 {
  1: i8 byte_thing,
  2: Xtruct struct_thing,
  3: i32 i32_thing,
}

struct Insanity {
  1: map<Numberz, UserId> userMap,
  2: list<Xtruct> xtructs,
}

exception Xception {
  1: i32 errorCode,
  2: string message,
}

exception Xception2 {
  1: i32 errorCode,
  2: Xtruct struct_thing,
}

service ThriftTest {
  void testVoid(),
  string testString(1: string thing),
  bool testBool(1: bool thing),
  i8 testByte(1: i8 thing),
  i32 testI32(1: i32 thing),
  i64 testI64(1: i64 thing),
  double testDouble(1: double thing),
  binary testBinary(1: binary thing),
  uuid testUuid(1: uuid thing), // not known to version 0.17 of Apache's compiler
  Xtruct testStruct(1: Xtruct thing),
  Xtruct2 testNest(1: Xtruct2 thing),
  map<i32, i32> testMap(1: map<i32, i32> thing),
  map<string, string> testStringMap(1: map<string, string> thing),
  set<i32> testSet(1: set<i32> thing),
  list<i32> testList(1: list<i32> thing),
  Numberz testEnum(1: Numberz thing),
  UserId testTypedef(1: UserId thing),
  /** -4 to -1 and 1 to 4, each to itself, by the numbers that they end at. */
  map<i32, map<i32, i32>> testMapMap(1: i32 hello),
  /** The argument for the user 1 twice, and an empty value for the user 2. */
  map<UserId, map<Numberz, Insanity>> testInsanity(1: Insanity argument),
  /** `Hello2` and the first three arguments. */
  Xtruct testMulti(1: i8 arg0, 2: i32 arg1, 3: i64 arg2, 4: map<i16, string> arg3, 5: Numberz arg4, 6: UserId arg5),
  /** Throws what is named `Xception`, and fails otherwise if the name is `TException`. */
  void testException(1: string arg) throws (1: Xception err1),
  /** Throws what is named `Xception` or `Xception2`, or returns the second argument in a struct. */
  Xtruct testMultiException(1: string arg0, 2: string arg1) throws (1: Xception err1, 2: Xception2 err2),
  oneway void testOneway(1: i32 secondsToSleep),
}

service SecondService {
  string secondtestString(1: string thing),
}

/** Not in Apache's file. */
service ExtendedTest extends ThriftTest {
  /** The arguments that `testOneway` has had. */
  list<i32> slept(),
}
