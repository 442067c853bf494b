//! What every program has: detection, and the standard library.

fn main() {
    println!("{}", bytelane::Backend::active());
}
