//! Limits bytelane and the other libraries to an instruction set below the best one of the CPU.
//!
//! Libraries in Rust detect the CPU with the standard library, which is therefore compiled with a switch that hides
//! features named in an environment variable. The others have variables, flags or `cfg`s of their own; one that has
//! none, and uses newer instructions, is left out.

use std::process::Command;

use bytelane::Backend;

/// Instruction set above which no library may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Level {
    Avx2,
    #[value(name = "sse4.1")]
    Sse41,
}

/// Features above AVX2 that no backend needs, but that another library may look for.
const ABOVE_AVX2: [&str; 7] = [
    "avx512bf16",
    "avx512fp16",
    "avx512ifma",
    "avx512vp2intersect",
    "vaes",
    "vpclmulqdq",
    "avxvnni",
];

/// The same above SSE4.2.
const ABOVE_SSE: [&str; 3] = ["avx", "fma", "f16c"];

/// Target for which the comparison is compiled, and the standard library with it.
const TARGET: &str = "x86_64-unknown-linux-gnu";

impl Level {
    /// Returns our backend.
    pub fn backend(self) -> Backend {
        match self {
            Level::Avx2 => Backend::Avx2,
            Level::Sse41 => Backend::Sse41,
        }
    }

    /// Returns the features that detection must not find, separated by spaces.
    fn hidden_features(self) -> String {
        let kept = self.backend().features();
        let above = Backend::ALL.iter().filter(|other| **other > self.backend());
        let above = above.filter(|other| **other <= Backend::Avx512);
        let mut hidden: Vec<_> = above.flat_map(|other| other.features()).copied().collect();
        hidden.extend(ABOVE_AVX2);
        if self == Level::Sse41 {
            hidden.extend(ABOVE_SSE);
        }
        hidden.retain(|feature| !kept.contains(feature));
        hidden.sort_unstable();
        hidden.dedup();
        hidden.join(" ")
    }

    /// Returns the microarchitecture level, by its name in compilers. That of SSE4.1 includes SSE4.2, without
    /// which `simdutf` and `simdutf8` use no SIMD.
    pub fn target_cpu(self) -> &'static str {
        match self {
            Level::Avx2 => "x86-64-v3",
            Level::Sse41 => "x86-64-v2",
        }
    }

    /// Adds what the compilation of the comparison needs. `base64-turbo` executes CPUID itself, and is limited
    /// by a `cfg`. All levels have the same flags, so that only C code is compiled for each of them.
    pub fn limit_build(self, command: &mut Command) {
        const FLAGS: &str =
            "--cfg feature=\"std_detect_env_override\" --cfg base64_turbo_backend=\"avx2\"";
        command
            .args(["-Zbuild-std=std,panic_unwind", "--target", TARGET])
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", FLAGS)
            .env("CFLAGS", self.c_flags());
    }

    /// Returns the flags of C code. The C library of Stream VByte has its vector code, which needs SSSE3, only in
    /// compilations for AVX.
    fn c_flags(self) -> &'static str {
        match self {
            Level::Avx2 => "-O3 -march=x86-64-v3",
            Level::Sse41 => "-O3 -march=x86-64-v2 -mavx",
        }
    }

    /// Adds what limits the libraries at run time.
    pub fn limit_run(self, command: &mut Command) {
        let (arrow, simdutf, c_runtime) = match self {
            Level::Avx2 => ("AVX2", "haswell", "-AVX512F,-AVX512VL"),
            Level::Sse41 => (
                "SSE4_2",
                "westmere",
                "-AVX512F,-AVX512VL,-AVX2,-AVX_Fast_Unaligned_Load",
            ),
        };
        command
            .args(["--without", self.left_out()])
            .env("RUST_STD_DETECT_UNSTABLE", self.hidden_features())
            .env("ARROW_USER_SIMD_LEVEL", arrow)
            .env("SIMDUTF_FORCE_IMPLEMENTATION", simdutf)
            .env("GLIBC_TUNABLES", format!("glibc.cpu.hwcaps={c_runtime}"));
    }

    /// Returns the libraries that cannot be limited, separated by commas. Blosc2 and `base64-turbo` have no SIMD
    /// between SSE2 and AVX2, and execute CPUID themselves.
    pub fn left_out(self) -> &'static str {
        match self {
            Level::Avx2 => "",
            Level::Sse41 => "Blosc2,base64-turbo",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_hides_the_features_of_better_backends_only() {
        for level in [Level::Avx2, Level::Sse41] {
            let hidden = level.hidden_features();
            let hidden: Vec<_> = hidden.split(' ').collect();
            for backend in [Backend::Sse41, Backend::Avx2, Backend::Avx512] {
                let is_hidden = backend.features().iter().any(|it| hidden.contains(it));
                assert_eq!(
                    is_hidden,
                    backend > level.backend(),
                    "{backend} at {level:?}"
                );
            }
            assert!(hidden.contains(&"avx512ifma"), "{hidden:?}");
        }
    }
}
