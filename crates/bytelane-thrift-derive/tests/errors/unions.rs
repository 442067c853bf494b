use bytelane_thrift::Thrift;

#[derive(Thrift)]
#[thrift(union)]
enum NoNumber {
    First(i32),
}

#[derive(Thrift)]
#[thrift(union)]
enum SameNumber {
    #[thrift(id = 1)]
    First(i32),
    #[thrift(id = 1)]
    Second(i64),
}

#[derive(Thrift)]
#[thrift(union)]
enum TwoValues {
    #[thrift(id = 1)]
    First(i32, i32),
}

#[derive(Thrift)]
#[thrift(union)]
enum Required {
    #[thrift(id = 1, required)]
    First(i32),
}

#[derive(Thrift)]
#[thrift(union)]
enum Empty {}

#[derive(Thrift)]
#[thrift(union)]
enum TwoUnknown {
    #[thrift(unknown)]
    First(bytelane_thrift::UnknownField),
    #[thrift(unknown)]
    Second(bytelane_thrift::UnknownField),
}

#[derive(Thrift)]
#[thrift(union)]
enum Unsigned {
    #[thrift(id = 1)]
    First(u8),
}

#[derive(Thrift)]
#[thrift(union)]
struct UnionStruct {
    #[thrift(id = 1)]
    first: i32,
}

#[derive(Thrift)]
union RustUnion {
    first: i32,
}

fn main() {}
