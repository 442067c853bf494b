//! The only table of test stages: to add a stage, add a row.

use Tier::{Extended, Full, Quick};

use std::time::Duration;

use super::needs::Need;
use super::{
    armv7, assembly, browser, c, cross, dependencies, features, files, fuzz, go, idl, java, memory,
    miri, mutants, python, repeat, rust, semver, wheel,
};
use crate::record::neon;

/// Stage with its purpose, requirements, function and time budget.
pub struct Stage {
    pub name: &'static str,
    pub about: &'static str,
    pub needs: &'static [Need],
    pub tier: Tier,
    /// True if `--require all` includes it. Stages are excluded only if they need something outside package
    /// registries.
    pub in_all: bool,
    /// Time budget on two idle cores, including compilation.
    pub seconds: u64,
    pub run: fn() -> anyhow::Result<()>,
}

/// Command that runs a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tier {
    /// `cargo xtask test`, with or without options.
    Quick,
    /// `cargo xtask test --require all`, or by name.
    Full,
    /// `cargo xtask extended`, by hand.
    Extended,
}

impl Stage {
    /// Returns what this machine lacks for the stage, in one line.
    pub fn missing(&self) -> Option<String> {
        let reasons: Vec<_> = self.needs.iter().filter_map(Need::missing).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    pub fn budget(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

const MIRI: Need = Need::Answers(
    &["rustup", "run", "nightly", "cargo", "miri", "--version"],
    "rustup component add --toolchain nightly miri rust-src",
);
/// pip 22.3 and later install packages into environments without pip.
const PYTHON: Need = Need::Answers(
    &[
        "python3",
        "-c",
        "import venv, pip; assert int(pip.__version__.split('.')[0]) >= 23",
    ],
    "Debian: python3-pip and python3-venv",
);
const THRIFT_COMPILER: Need = Need::Program("thrift", "Debian: thrift-compiler");
const QEMU_X86_64: Need = Need::Program("qemu-x86_64-static", QEMU);
const QEMU: &str = "Debian: qemu-user-static";

/// All stages, in the order in which they run.
pub static STAGES: &[Stage] = &[
    Stage {
        name: "rust",
        about: "format, lints, documentation and the tests of the workspace",
        needs: &[],
        tier: Quick,
        in_all: true,
        seconds: 525,
        run: rust::run_stage,
    },
    Stage {
        name: "features",
        about: "the core without std and without alloc, the stated rust-version, clean packages",
        needs: &[
            Need::StandardLibrary(&cross::THUMB),
            Need::StandardLibrary(&cross::WASM_UNKNOWN),
        ],
        tier: Full,
        in_all: true,
        seconds: 90,
        run: features::run_stage,
    },
    Stage {
        name: "dependencies",
        about: "licences and sources of all dependencies, by deny.toml; none for the core",
        needs: &[],
        tier: Quick,
        in_all: true,
        seconds: 5,
        run: dependencies::run_stage,
    },
    Stage {
        name: "assembly",
        about: "instruction counts of the tuned kernels, and their calls without link-time optimisation",
        needs: &[Need::X86, Need::Program("objdump", "Debian: binutils")],
        tier: Full,
        in_all: true,
        seconds: 75,
        run: assembly::run_stage,
    },
    Stage {
        name: "peers",
        about: "each comparison with other libraries once, all results alike",
        needs: &[Need::X86, Need::Program("python3", "Debian: python3-pip")],
        tier: Full,
        in_all: true,
        seconds: 165,
        run: crate::peers::run_stage,
    },
    Stage {
        name: "python",
        about: "files and messages exchanged with libraries of Python, both ways; the tables of records",
        needs: &[PYTHON, THRIFT_COMPILER],
        tier: Full,
        in_all: true,
        seconds: 125,
        run: python::run_stage,
    },
    Stage {
        name: "c",
        about: "the C libraries, installed and used from C, C++ and CMake; the original's example",
        needs: &[
            Need::Program("gcc", "Debian: gcc"),
            Need::Program("g++", "Debian: g++"),
            Need::Program("clang++", "Debian: clang"),
            Need::Program("cmake", "Debian: cmake"),
            Need::Program("pkg-config", "Debian: pkgconf"),
            Need::Program("valgrind", "Debian: valgrind"),
            PYTHON,
        ],
        tier: Full,
        in_all: true,
        seconds: 35,
        run: c::run_stage,
    },
    Stage {
        name: "wheel",
        about: "the Python package: built, installed, tested with the libraries it works with, types",
        needs: &[PYTHON],
        tier: Full,
        in_all: true,
        seconds: 80,
        run: wheel::run_stage,
    },
    Stage {
        name: "browser",
        about: "the page of `bytelane report` in a browser: phone and desk, light and dark",
        needs: &[Need::Program(browser::BROWSER, "Debian: chromium")],
        tier: Full,
        in_all: true,
        seconds: 80,
        run: browser::run_stage,
    },
    Stage {
        name: "fuzz",
        about: "each fuzz target for a few seconds, with the stable compiler",
        needs: &[Need::Program("g++", "Debian: g++")],
        tier: Full,
        in_all: true,
        seconds: 175,
        run: fuzz::run_stage,
    },
    Stage {
        name: "avx512",
        about: "the core's tests, which must find the backend avx512",
        needs: &[Need::X86, Need::Avx512],
        tier: Full,
        in_all: true,
        seconds: 50,
        run: || cross::test(&cross::AVX512),
    },
    Stage {
        name: "avx2",
        about: "the core's tests on an emulated Haswell",
        needs: &[Need::X86, QEMU_X86_64],
        tier: Full,
        in_all: true,
        seconds: 40,
        run: || cross::test(&cross::HASWELL),
    },
    Stage {
        name: "sse4.1",
        about: "the core's tests on an emulated Nehalem",
        needs: &[Need::X86, QEMU_X86_64],
        tier: Full,
        in_all: true,
        seconds: 35,
        run: || cross::test(&cross::NEHALEM),
    },
    Stage {
        name: "aarch64",
        about: "the core's tests on emulated 64-bit ARM with NEON; the loops that are estimated",
        needs: &[
            Need::StandardLibrary(&cross::AARCH64),
            Need::Program("aarch64-linux-gnu-gcc", "Debian: gcc-aarch64-linux-gnu"),
            Need::Program("qemu-aarch64-static", QEMU),
            neon::DISASSEMBLER,
            neon::MODEL,
        ],
        tier: Full,
        in_all: true,
        seconds: 145,
        run: || cross::test(&cross::AARCH64).and_then(|()| neon::run_stage()),
    },
    Stage {
        name: "armv7",
        about: "the core's tests on emulated 32-bit ARM, with NEON and without; the loops in assembly",
        needs: &[
            Need::StandardLibrary(&cross::ARMV7),
            Need::Program("arm-linux-gnueabihf-gcc", "Debian: gcc-arm-linux-gnueabihf"),
            Need::Program("qemu-arm-static", QEMU),
            armv7::DISASSEMBLER,
        ],
        tier: Full,
        in_all: true,
        seconds: 150,
        run: armv7::run_stage,
    },
    Stage {
        name: "32-bit",
        about: "the core's tests on i686",
        needs: &[
            Need::X86,
            Need::StandardLibrary(&cross::I686),
            Need::Program("i686-linux-gnu-gcc", "Debian: gcc-i686-linux-gnu"),
        ],
        tier: Full,
        in_all: true,
        seconds: 115,
        run: || cross::test(&cross::I686),
    },
    Stage {
        name: "big-endian",
        about: "the core's tests on emulated s390x",
        needs: &[
            Need::StandardLibrary(&cross::S390X),
            Need::Program("s390x-linux-gnu-gcc", "Debian: gcc-s390x-linux-gnu"),
            Need::Program("qemu-s390x-static", QEMU),
        ],
        tier: Full,
        in_all: true,
        seconds: 165,
        run: || cross::test(&cross::S390X),
    },
    Stage {
        name: "wasm",
        about: "the core's tests on WebAssembly, a target without kernels",
        needs: &[
            Need::StandardLibrary(&cross::WASM),
            Need::Program("wasm-ld-22", "Debian: lld-22"),
            Need::File("/usr/lib/wasm32-wasi/libc.a", "Debian: wasi-libc"),
            Need::Program("node", "Debian: nodejs"),
        ],
        tier: Full,
        in_all: true,
        seconds: 95,
        run: || cross::test(&cross::WASM),
    },
    Stage {
        name: "go",
        about: "the Go module; also under the race detector, on arm64 and on s390x",
        needs: &[Need::Program("go", "see go/README.md")],
        tier: Full,
        in_all: true,
        seconds: 40,
        run: go::run_stage,
    },
    Stage {
        name: "thrift-go",
        about: "messages exchanged with Apache Thrift's library for Go, both ways",
        needs: &[Need::Program("go", "see go/README.md"), THRIFT_COMPILER],
        tier: Full,
        in_all: true,
        seconds: 5,
        run: go::run_thrift,
    },
    Stage {
        name: "miri",
        about: "the core's unit tests under Miri, which finds undefined behaviour",
        needs: &[MIRI],
        tier: Full,
        in_all: false,
        seconds: 205,
        run: miri::run_stage,
    },
    Stage {
        name: "miri-targets",
        about: "Miri on AVX-512, s390x and i686, and with every codec's parameters",
        needs: &[MIRI],
        tier: Extended,
        in_all: false,
        seconds: 3600,
        run: miri::run_targets,
    },
    Stage {
        name: "address",
        about: "the core's tests under AddressSanitizer",
        needs: &[Need::X86],
        tier: Extended,
        in_all: false,
        seconds: 600,
        run: memory::run_address_sanitizer,
    },
    Stage {
        name: "memcheck",
        about: "the core's tests under valgrind, on AVX2, with partly invalid loads refused",
        needs: &[Need::X86, Need::Program("valgrind", "Debian: valgrind")],
        tier: Extended,
        in_all: false,
        seconds: 1800,
        run: memory::run_memcheck,
    },
    Stage {
        name: "parquet-java",
        about: "merged and split files, read by parquet-java",
        needs: &[
            PYTHON,
            Need::Program("java", "Debian: default-jdk-headless"),
            Need::Program("mvn", "Debian: maven"),
        ],
        tier: Extended,
        in_all: false,
        seconds: 300,
        run: java::run_stage,
    },
    Stage {
        name: "mutants",
        about: "changes to kernels and to the dispatch, which tests must notice",
        needs: &[Need::Answers(
            &["cargo", "mutants", "--version"],
            "cargo install --locked cargo-mutants",
        )],
        tier: Extended,
        in_all: false,
        seconds: 14400,
        run: mutants::run_stage,
    },
    Stage {
        name: "repeat",
        about: "the workspace's tests 20 times on an idle machine and 20 times on a busy one",
        needs: &[],
        tier: Extended,
        in_all: false,
        seconds: 10800,
        run: repeat::run_stage,
    },
    Stage {
        name: "fuzz-long",
        about: "each fuzz target for five minutes, with AddressSanitizer; the corpus grows",
        needs: &[Need::Program("g++", "Debian: g++")],
        tier: Extended,
        in_all: false,
        seconds: 3600,
        run: fuzz::run_long,
    },
    Stage {
        name: "semver",
        about: "the core's public interface against the last release",
        needs: &[
            Need::Answers(
                &["git", "describe", "--tags", "--match", "v*"],
                "there is no release yet",
            ),
            Need::Answers(
                &["cargo", "semver-checks", "--version"],
                "cargo install --locked cargo-semver-checks",
            ),
        ],
        tier: Extended,
        in_all: false,
        seconds: 300,
        run: semver::run_stage,
    },
    Stage {
        name: "wheel-aarch64",
        about: "the Python package on emulated 64-bit ARM, with Debian's Python",
        needs: &[
            PYTHON,
            Need::StandardLibrary(&cross::AARCH64),
            Need::Program("aarch64-linux-gnu-gcc", "Debian: gcc-aarch64-linux-gnu"),
            Need::Program("qemu-aarch64-static", QEMU),
            Need::Answers(
                &["apt-cache", "show", "python3:arm64"],
                "Debian: dpkg --add-architecture arm64, apt-get update",
            ),
        ],
        tier: Extended,
        in_all: false,
        seconds: 900,
        run: wheel::aarch64::run_stage,
    },
    Stage {
        name: "wheel-nogil",
        about: "the Python package on a free-threaded Python",
        needs: &[
            PYTHON,
            Need::Program(
                wheel::free_threaded::PYTHON,
                "`uv python install 3.14t` has it",
            ),
        ],
        tier: Extended,
        in_all: false,
        seconds: 300,
        run: wheel::free_threaded::run_stage,
    },
    Stage {
        name: "sdist",
        about: "the source distribution of the Python package: built, and installed from",
        needs: &[PYTHON],
        tier: Extended,
        in_all: false,
        seconds: 600,
        run: wheel::sdist::run_stage,
    },
    Stage {
        name: "notebooks",
        about: "the notebooks of the Python package, cell by cell",
        needs: &[PYTHON],
        tier: Extended,
        in_all: false,
        seconds: 300,
        run: wheel::notebooks::run_stage,
    },
    Stage {
        name: "ray",
        about: "plans of data sets on a local Ray cluster: on a disk, with a worker that is killed, and on a store",
        needs: &[PYTHON],
        tier: Extended,
        in_all: false,
        seconds: 400,
        run: wheel::scripts::run_ray,
    },
    Stage {
        name: "table-formats",
        about: "the recipes for tables of Delta Lake and Apache Iceberg, as the guide has them, and commits that race with them",
        needs: &[PYTHON],
        tier: Extended,
        in_all: false,
        seconds: 300,
        run: wheel::scripts::run_table_formats,
    },
    Stage {
        name: "thrift-cpp",
        about: "all methods of ThriftTest over TCP, with Apache Thrift's library for C++, both ways",
        needs: &[
            Need::Program("python3", "Debian: python3"),
            Need::Program("g++", "Debian: g++"),
            THRIFT_COMPILER,
            Need::File("/usr/include/thrift/Thrift.h", "Debian: libthrift-dev"),
            Need::File("/usr/include/boost/version.hpp", "Debian: libboost-dev"),
        ],
        tier: Extended,
        in_all: false,
        seconds: 300,
        run: python::run_thrift_cpp,
    },
    Stage {
        name: "idl-corpus",
        about: "IDL of fbthrift, pilota and volo: compiled, and the generated code checked by rustc",
        needs: &[Need::Folder(
            "BYTELANE_IDL_CORPUS",
            "a folder for each project, with its .thrift files by their paths",
        )],
        tier: Extended,
        in_all: false,
        seconds: 600,
        run: idl::run_stage,
    },
    Stage {
        name: "peers-parquet",
        about: "small Parquet files, which all libraries of the record must read alike",
        needs: &[PYTHON],
        tier: Extended,
        in_all: false,
        seconds: 300,
        run: crate::record::parquet::run_quick,
    },
    Stage {
        name: "mutated-files",
        about: "two million changed Parquet files, read with limited memory: no abort, no panic",
        needs: &[Need::Program("prlimit", "Debian: util-linux")],
        tier: Extended,
        in_all: false,
        seconds: 7200,
        run: files::run_mutated,
    },
    Stage {
        name: "hostile-files",
        about: "Parquet files that contradict themselves, and bombs at 2 and 4 GiB, for every function",
        needs: &[],
        tier: Extended,
        in_all: false,
        seconds: 1800,
        run: files::run_hostile,
    },
    Stage {
        name: "salvaged-files",
        about: "5,000 Parquet files with flipped bits: salvaged, and the results read by two libraries",
        needs: &[PYTHON],
        tier: Extended,
        in_all: false,
        seconds: 1800,
        run: files::run_salvaged,
    },
    Stage {
        name: "random-files",
        about: "10,000 random Parquet files of pyarrow: read, in parts, and rewritten, the same values",
        needs: &[PYTHON],
        tier: Extended,
        in_all: false,
        seconds: 3600,
        run: files::run_random,
    },
    Stage {
        name: "random-pairs",
        about: "20,000 random pairs of Parquet files: merged and rewritten, they mean the same to four libraries",
        needs: &[PYTHON],
        tier: Extended,
        in_all: false,
        seconds: 3600,
        run: files::run_pairs,
    },
    Stage {
        name: "foreign-files",
        about: "test files of other Parquet projects: what two other libraries read is read",
        needs: &[
            PYTHON,
            Need::Folder(
                "BYTELANE_PARQUET_FILES",
                "a folder for each project, with its test files",
            ),
        ],
        tier: Extended,
        in_all: false,
        seconds: 1800,
        run: files::run_foreign,
    },
];
