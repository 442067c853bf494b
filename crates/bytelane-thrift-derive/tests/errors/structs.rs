use bytelane_thrift::Thrift;

#[derive(Thrift)]
struct NoNumber {
    first: i32,
}

#[derive(Thrift)]
struct SameNumber {
    #[thrift(id = 1)]
    first: i32,
    #[thrift(id = 1)]
    second: i32,
}

#[derive(Thrift)]
struct LargeNumber {
    #[thrift(id = 32768)]
    first: i32,
}

#[derive(Thrift)]
struct NoInteger {
    #[thrift(id = "1")]
    first: i32,
}

#[derive(Thrift)]
struct UnknownAttribute {
    #[thrift(id = 1, optional)]
    first: i32,
}

#[derive(Thrift)]
#[thrift(rename = "x")]
struct UnknownOfType {
    #[thrift(id = 1)]
    first: i32,
}

#[derive(Thrift)]
struct WithoutNames(#[thrift(id = 1)] i32);

#[derive(Thrift)]
struct Unsigned {
    #[thrift(id = 1)]
    first: Option<u32>,
}

#[derive(Thrift)]
struct TwoUnknown {
    #[thrift(unknown)]
    first: bytelane_thrift::UnknownFields,
    #[thrift(unknown)]
    second: bytelane_thrift::UnknownFields,
}

#[derive(Thrift)]
struct WrongDefault {
    #[thrift(id = 1, default = "one")]
    first: i32,
}

fn main() {}
