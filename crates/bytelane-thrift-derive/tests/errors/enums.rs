use bytelane_thrift::Thrift;

#[derive(Clone, Copy, Thrift)]
enum NoNumber {
    First,
}

#[derive(Clone, Copy, Thrift)]
enum SameNumber {
    #[thrift(value = 1)]
    First,
    #[thrift(value = 1)]
    Second,
}

#[derive(Clone, Copy, Thrift)]
enum LargeNumber {
    #[thrift(value = -2147483649)]
    First,
}

#[derive(Clone, Copy, Thrift)]
enum WithValue {
    #[thrift(value = 1)]
    First(i32),
}

#[derive(Clone, Copy, Thrift)]
enum UnknownWithoutNumber {
    #[thrift(unknown)]
    Unknown,
}

#[derive(Clone, Copy, Thrift)]
enum TwoUnknown {
    #[thrift(unknown)]
    First(i32),
    #[thrift(unknown)]
    Second(i32),
}

#[derive(Clone, Copy, Thrift)]
enum UnknownAttribute {
    #[thrift(id = 1)]
    First,
}

fn main() {}
