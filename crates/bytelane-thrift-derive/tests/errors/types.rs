use bytelane_thrift::Thrift;

#[derive(Default)]
struct NotThrift;

#[derive(Thrift)]
struct Holds {
    #[thrift(id = 1)]
    first: NotThrift,
}

#[derive(Thrift)]
struct Slices<'a> {
    #[thrift(id = 1)]
    numbers: &'a [i32],
}

fn main() {}
