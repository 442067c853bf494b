//! Parts of every program: detection, and the standard library.

fn main() {
    println!("{}", bytelane::Backend::active());
}
