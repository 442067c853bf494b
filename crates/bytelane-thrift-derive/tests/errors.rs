//! Tests the errors of the derive macro, and their messages.

/// The expected messages are in the `.stderr` files; run with `TRYBUILD=overwrite` to rewrite them.
#[test]
fn errors_point_at_the_attribute() {
    trybuild::TestCases::new().compile_fail("tests/errors/*.rs");
}
