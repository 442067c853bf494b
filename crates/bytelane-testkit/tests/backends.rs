//! The list of instruction sets, as tools see it.

use bytelane::{Backend, Detected, Unavailable};

#[test]
fn names_read_back() {
    for &backend in Backend::ALL {
        assert_eq!(backend.name().parse(), Ok(backend));
        assert_eq!(backend.to_string().to_uppercase().parse(), Ok(backend));
    }
    let error = "mmx".parse::<Backend>().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown backend; the backends are scalar, sse4.1, avx2, avx512, neon"
    );
}

#[test]
fn a_backend_is_available_exactly_if_no_feature_is_missing() {
    for &backend in Backend::ALL {
        let missing = backend.missing_features().count();
        assert_eq!(
            backend.is_available(),
            missing == 0,
            "{backend} lacks {missing} features"
        );
    }
    assert!(Backend::Scalar.is_available());
}

#[test]
fn a_backend_that_is_missing_cannot_be_had() {
    for &backend in Backend::ALL {
        let detected = Detected::new(backend);
        match backend.is_available() {
            true => assert_eq!(detected.map(|detected| *detected), Ok(backend)),
            false => assert_eq!(detected, Err(Unavailable(backend))),
        }
    }
}

#[test]
fn the_expected_backend_is_the_best() {
    assert!(!bytelane_testkit::backends().contains(&Backend::Scalar));
}

/// The only test of this process that changes the process-wide choice.
#[test]
fn the_active_backend_is_the_best_until_another_is_set() {
    assert_eq!(Some(Backend::active()), Backend::available().next_back());
    for &backend in Backend::ALL {
        let before = Backend::active();
        let result = Backend::set_active(backend);
        assert_eq!(result.is_ok(), backend.is_available());
        assert_eq!(
            Backend::active(),
            if result.is_ok() { backend } else { before }
        );
        if let Err(Unavailable(asked)) = result {
            assert_eq!(asked, backend);
        }
    }
}
