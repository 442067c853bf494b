//! Programs that call one function of one codec each, with arguments and results that the compiler does not know.

/// Defines a program that detects the instruction sets, as every user of a codec does, and makes a call, whose output is
/// the variable before it.
#[macro_export]
macro_rules! program {
    ($output:ident = $room:expr; $call:expr) => {
        fn main() {
            println!("{}", bytelane::Backend::active());
            let mut $output = $room;
            let _ = std::hint::black_box($call);
            std::hint::black_box($output);
        }
    };
    ($call:expr) => {
        fn main() {
            println!("{}", bytelane::Backend::active());
            let _ = std::hint::black_box($call);
        }
    };
}
