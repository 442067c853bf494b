//! The backends that the other tests take.

use bytelane::Backend;

#[test]
fn the_expected_backend_is_the_best() {
    assert!(!bytelane_testkit::backends().contains(&Backend::Scalar));
}
