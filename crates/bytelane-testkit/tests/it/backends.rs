//! Tests the choice of backends for the other tests.

use bytelane::Backend;

#[test]
fn the_expected_backend_is_the_best() {
    assert!(!bytelane_testkit::backends().contains(&Backend::Scalar));
}
