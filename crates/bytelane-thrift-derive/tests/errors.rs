//! Errors of the derive, and their messages.

/// The expected messages are in the files `.stderr`; a run with `TRYBUILD=overwrite` writes them
/// again.
#[test]
fn errors_point_at_the_attribute() {
    trybuild::TestCases::new().compile_fail("tests/errors/*.rs");
}
