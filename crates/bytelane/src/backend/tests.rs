//! Tests the list of instruction sets and their detection.

use super::*;
use std::string::ToString;
use std::vec::Vec;

#[test]
fn names_read_back() {
    for &backend in Backend::ALL {
        assert!(!backend.name().is_empty());
        assert_eq!(backend.name().parse(), Ok(backend));
        assert_eq!(backend.to_string(), backend.name());
        assert_eq!(backend.to_string().to_uppercase().parse(), Ok(backend));
    }
    let error = "mmx".parse::<Backend>().unwrap_err().to_string();
    let message = "unknown backend; the backends are scalar, sse4.1, avx2, avx512, neon";
    assert_eq!(error, message);
}

/// Returns the expected backends, from what `std` detects and from `cfg!` for what is compiled in.
fn expected() -> Vec<Backend> {
    let mut backends = std::vec![Backend::Scalar];
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as detected;
        let sse41 = detected!("sse4.2") && detected!("ssse3") && detected!("popcnt");
        let avx2 =
            detected!("avx2") && detected!("bmi1") && detected!("bmi2") && detected!("lzcnt");
        let avx512 = detected!("avx512vbmi2") && detected!("avx512bitalg") && detected!("gfni");
        let rows = [
            (Backend::Sse41, sse41 && cfg!(feature = "sse41")),
            (Backend::Avx2, avx2 && cfg!(feature = "avx2")),
            (Backend::Avx512, avx512 && cfg!(feature = "avx512")),
        ];
        backends.extend(rows.iter().filter(|row| row.1).map(|row| row.0));
    }
    if cfg!(all(
        target_arch = "aarch64",
        target_endian = "little",
        feature = "neon"
    )) {
        backends.push(Backend::Neon);
    }
    #[cfg(all(target_arch = "arm", target_os = "linux", feature = "neon"))]
    {
        use std::ffi::c_ulong;
        unsafe extern "C" {
            fn getauxval(kind: c_ulong) -> c_ulong;
        }
        // SAFETY: the function of the C library, which reads a constant of the process.
        let features = unsafe { getauxval(16) };
        backends.extend((features >> 12 & 1 != 0).then_some(Backend::Neon));
    }
    backends
}

#[test]
fn a_backend_is_available_exactly_if_the_machine_has_its_features() {
    let expected = expected();
    assert_eq!(Backend::available().collect::<Vec<_>>(), expected);
    for &backend in Backend::ALL {
        let available = expected.contains(&backend);
        let missing: Vec<_> = backend.missing_features().collect();
        assert_eq!(backend.is_available(), available);
        assert_eq!(missing.is_empty(), available, "{backend} lacks {missing:?}");
        match Detected::new(backend) {
            Ok(detected) => {
                assert!(available);
                assert_eq!(*detected, backend);
                assert_eq!(detected.to_string(), backend.name());
            }
            Err(error) => {
                assert!(!available);
                assert_eq!(error, Unavailable(backend));
                let names: Vec<_> = expected.iter().map(|backend| backend.name()).collect();
                let names = names.join(", ");
                let message = std::format!(
                    "the backend {backend} is not available on this machine; available: {names}"
                );
                assert_eq!(error.to_string(), message);
            }
        }
    }
}

/// Other tests run meanwhile, on whatever backend is active, with the same results.
#[test]
fn the_active_backend_is_the_best_until_another_is_set() {
    let best = *expected().last().unwrap();
    assert_eq!(Backend::active(), best);
    // A test run for one instruction set, in an emulator or under Miri, fails if it is missing.
    if let Ok(name) = std::env::var("BYTELANE_TEST_EXPECT") {
        assert_eq!(best.name(), name);
    }
    for &backend in Backend::ALL {
        let before = Backend::active();
        let result = Backend::set_active(backend);
        let after = if backend.is_available() {
            backend
        } else {
            before
        };
        assert_eq!(result.is_ok(), backend.is_available());
        assert_eq!(Backend::active(), after);
    }
    Backend::set_active(best).unwrap();
}
