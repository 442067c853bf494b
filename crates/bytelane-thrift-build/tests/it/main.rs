//! All integration tests of the crate, in one program: each program would be linked with every
//! dependency.

#[rustfmt::skip]
#[deny(warnings, clippy::all)]
#[allow(dead_code, clippy::derivable_impls, clippy::approx_constant, reason = "constants of the IDL, used in part")]
#[path = "../generated/mod.rs"]
mod generated;

#[rustfmt::skip]
#[allow(dead_code, reason = "used in part")]
#[path = "../generated/keeping/mod.rs"]
mod kept;

/// A crate of types that several others share.
#[rustfmt::skip]
#[allow(dead_code, reason = "used in part")]
#[path = "../generated/elsewhere/common_shared.rs"]
mod elsewhere;

/// A crate that reexports the library.
mod facade {
    pub use bytelane_thrift::*;
}

mod compile;
mod constants;
mod corpus;
mod dynamic;
mod errors;
mod faults;
mod fbthrift;
mod names;
mod options;
mod services;
mod types;
mod words;
