//! The only table of test stages: to add a stage, add a row. Those that make a release are in `release/mod.rs`.

use Tier::{Extended, Full, Quick, Release};

use std::time::Duration;

use super::languages::{browser, c, files, go, idl, java, python, wheel};
use super::machines::{armv7, assembly, cross};
use super::needs::Need;
use super::rust::{self, dependencies, features, fuzz, memory, miri, mutants, repeat, semver};
use crate::record::neon;

/// Stage with its purpose, requirements, function and time budget.
pub struct Stage {
    pub name: &'static str,
    pub about: &'static str,
    pub needs: &'static [Need],
    pub tier: Tier,
    /// Time budget on two idle cores, including compilation.
    pub seconds: u64,
    pub run: Run,
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
    /// `cargo xtask release`, by hand: its table is in the module `release`.
    Release,
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

    const fn new(tier: Tier, name: &'static str, seconds: u64, run: Run) -> Self {
        Self {
            name,
            about: "",
            needs: &[],
            tier,
            seconds,
            run,
        }
    }

    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    pub const fn needs(self, needs: &'static [Need]) -> Self {
        Self { needs, ..self }
    }
}

type Run = fn() -> anyhow::Result<()>;

const fn quick(name: &'static str, seconds: u64, run: Run) -> Stage {
    Stage::new(Quick, name, seconds, run)
}

const fn full(name: &'static str, seconds: u64, run: Run) -> Stage {
    Stage::new(Full, name, seconds, run)
}

const fn extended(name: &'static str, seconds: u64, run: Run) -> Stage {
    Stage::new(Extended, name, seconds, run)
}

/// Returns a stage of `cargo xtask release`.
pub const fn release(name: &'static str, seconds: u64, run: Run) -> Stage {
    Stage::new(Release, name, seconds, run)
}

const MIRI: Need = Need::Answers(
    &["rustup", "run", "nightly", "cargo", "miri", "--version"],
    "rustup component add --toolchain nightly miri rust-src",
);
/// pip 22.3 and later install packages into environments without pip.
pub const PYTHON: Need = Need::Answers(
    &[
        "python3",
        "-c",
        "import venv, pip; assert int(pip.__version__.split('.')[0]) >= 23",
    ],
    "Debian: python3-pip and python3-venv",
);
const JAVA: Need = Need::Program("java", "Debian: default-jdk-headless");
const THRIFT_COMPILER: Need = Need::Program("thrift", "Debian: thrift-compiler");
const QEMU_X86_64: Need = Need::Program("qemu-x86_64-static", QEMU);
const QEMU: &str = "Debian: qemu-user-static";

/// All stages, in the order in which they run.
pub static STAGES: &[Stage] = &[
    quick("rust", 525, rust::run_stage)
        .about("format, lints, documentation and the tests of the workspace"),
    full("features", 90, features::run_stage)
        .about("the core without std and without alloc, the stated rust-version, clean packages")
        .needs(&[
            Need::StandardLibrary(&cross::THUMB),
            Need::StandardLibrary(&cross::WASM_UNKNOWN),
        ]),
    quick("dependencies", 5, dependencies::run_stage)
        .about("licences and sources of all dependencies, by deny.toml; none for the core"),
    full("assembly", 75, assembly::run_stage)
        .about("instruction counts of the tuned kernels, and their calls without link-time optimisation")
        .needs(&[Need::X86, Need::Program("objdump", "Debian: binutils")]),
    full("python", 125, python::run_stage)
        .about("files and messages exchanged with libraries of Python, both ways; the tables of records")
        .needs(&[PYTHON, THRIFT_COMPILER]),
    full("c", 35, c::run_stage)
        .about("the C libraries, installed and used from C, C++ and CMake; the original's example")
        .needs(&[
            Need::Program("gcc", "Debian: gcc"),
            Need::Program("g++", "Debian: g++"),
            Need::Program("clang++", "Debian: clang"),
            Need::Program("cmake", "Debian: cmake"),
            Need::Program("pkg-config", "Debian: pkgconf"),
            Need::Program("valgrind", "Debian: valgrind"),
            PYTHON,
        ]),
    full("wheel", 80, wheel::run_stage)
        .about("the Python package: built, installed, tested with the libraries it works with, types")
        .needs(&[PYTHON]),
    full("browser", 80, browser::run_stage)
        .about("the page of `bytelane report` in a browser: phone and desk, light and dark")
        .needs(&[Need::Program(browser::BROWSER, "Debian: chromium")]),
    full("avx512", 50, || cross::test(&cross::AVX512))
        .about("the core's tests, which must find the backend avx512")
        .needs(&[Need::X86, Need::Avx512]),
    full("avx2", 40, || cross::test(&cross::HASWELL))
        .about("the core's tests on an emulated Haswell")
        .needs(&[Need::X86, QEMU_X86_64]),
    full("sse4.1", 35, || cross::test(&cross::NEHALEM))
        .about("the core's tests on an emulated Nehalem")
        .needs(&[Need::X86, QEMU_X86_64]),
    full("aarch64", 145, || cross::test(&cross::AARCH64).and_then(|()| neon::run_stage()))
        .about("the core's tests on emulated 64-bit ARM with NEON; the loops that are estimated")
        .needs(&[
            Need::StandardLibrary(&cross::AARCH64),
            Need::Program("aarch64-linux-gnu-gcc", "Debian: gcc-aarch64-linux-gnu"),
            Need::Program("qemu-aarch64-static", QEMU),
            neon::DISASSEMBLER,
            neon::MODEL,
        ]),
    full("armv7", 150, armv7::run_stage)
        .about("the core's tests on emulated 32-bit ARM, with NEON and without; the loops in assembly")
        .needs(&[
            Need::StandardLibrary(&cross::ARMV7),
            Need::Program("arm-linux-gnueabihf-gcc", "Debian: gcc-arm-linux-gnueabihf"),
            Need::Program("qemu-arm-static", QEMU),
            armv7::DISASSEMBLER,
        ]),
    full("big-endian", 165, || cross::test(&cross::S390X))
        .about("the core's tests on emulated s390x")
        .needs(&[
            Need::StandardLibrary(&cross::S390X),
            Need::Program("s390x-linux-gnu-gcc", "Debian: gcc-s390x-linux-gnu"),
            Need::Program("qemu-s390x-static", QEMU),
        ]),
    full("wasm", 95, || cross::test(&cross::WASM))
        .about("the core's tests on WebAssembly, a target without kernels")
        .needs(&[
            Need::StandardLibrary(&cross::WASM),
            Need::Program("wasm-ld-22", "Debian: lld-22"),
            Need::File("/usr/lib/wasm32-wasi/libc.a", "Debian: wasi-libc"),
            Need::Program("node", "Debian: nodejs"),
        ]),
    full("go", 40, go::run_stage)
        .about("the Go module; also under the race detector, on arm64 and on s390x")
        .needs(&[Need::Program("go", "see go/README.md")]),
    full("thrift-go", 5, go::run_thrift)
        .about("messages exchanged with Apache Thrift's library for Go, both ways")
        .needs(&[Need::Program("go", "see go/README.md"), THRIFT_COMPILER]),
    extended("miri", 3600, miri::run_stage)
        .about("the core's tests under Miri, which finds undefined behaviour, on four instruction sets")
        .needs(&[MIRI]),
    extended("32-bit", 115, || cross::test(&cross::I686))
        .about("the core's tests on i686")
        .needs(&[
            Need::X86,
            Need::StandardLibrary(&cross::I686),
            Need::Program("i686-linux-gnu-gcc", "Debian: gcc-i686-linux-gnu"),
        ]),
    extended("peers", 165, crate::peers::run_stage)
        .about("each comparison with other libraries once, all results alike")
        .needs(&[Need::X86, Need::Program("python3", "Debian: python3-pip")]),
    extended("address", 600, memory::run_address_sanitizer)
        .about("the core's tests under AddressSanitizer")
        .needs(&[Need::X86]),
    extended("memcheck", 1800, memory::run_memcheck)
        .about("the core's tests under valgrind, on AVX2, with partly invalid loads refused")
        .needs(&[Need::X86, Need::Program("valgrind", "Debian: valgrind")]),
    extended("parquet-java", 300, java::run_stage)
        .about("merged and split files, read by parquet-java")
        .needs(&[
            PYTHON,
            JAVA,
            Need::Program("mvn", "Debian: maven"),
        ]),
    extended("mutants", 14400, mutants::run_stage)
        .about("changes to kernels and to the dispatch, which tests must notice")
        .needs(&[Need::Answers(
            &["cargo", "mutants", "--version"],
            "cargo install --locked cargo-mutants",
        )]),
    extended("repeat", 10800, repeat::run_stage)
        .about("the workspace's tests 20 times on an idle machine and 20 times on a busy one"),
    extended("fuzz", 175, fuzz::run_stage)
        .about("each fuzz target for a few seconds, with the stable compiler")
        .needs(&[Need::Program("g++", "Debian: g++")]),
    extended("fuzz-long", 3600, fuzz::run_long)
        .about("each fuzz target for five minutes, with AddressSanitizer; the corpus grows")
        .needs(&[Need::Program("g++", "Debian: g++")]),
    extended("semver", 300, semver::run_stage)
        .about("the core's public interface against the last release")
        .needs(&[
            Need::Answers(
                &["git", "describe", "--tags", "--match", "v*"],
                "there is no release yet",
            ),
            Need::Answers(
                &["cargo", "semver-checks", "--version"],
                "cargo install --locked cargo-semver-checks",
            ),
        ]),
    extended("wheel-aarch64", 900, wheel::aarch64::run_stage)
        .about("the Python package on emulated 64-bit ARM, with Debian's Python")
        .needs(&[
            PYTHON,
            Need::StandardLibrary(&cross::AARCH64),
            Need::Program("aarch64-linux-gnu-gcc", "Debian: gcc-aarch64-linux-gnu"),
            Need::Program("qemu-aarch64-static", QEMU),
            Need::Answers(
                &["apt-cache", "show", "python3:arm64"],
                "Debian: dpkg --add-architecture arm64, apt-get update",
            ),
        ]),
    extended("wheel-nogil", 300, wheel::free_threaded::run_stage)
        .about("the Python package on a free-threaded Python")
        .needs(&[
            PYTHON,
            Need::Program(
                wheel::free_threaded::PYTHON,
                "`uv python install 3.14t` has it",
            ),
        ]),
    extended("sdist", 600, wheel::sdist::run_stage)
        .about("the source distribution of the Python package: built, and installed from")
        .needs(&[PYTHON]),
    extended("notebooks", 300, wheel::notebooks::run_stage)
        .about("the notebooks of the Python package, cell by cell")
        .needs(&[PYTHON]),
    extended("executors", 600, wheel::scripts::run_executors)
        .about("plans of data sets in processes, on Ray, Dask and Spark: with a worker and a driver that are killed, and on a store")
        .needs(&[PYTHON, JAVA]),
    extended("table-formats", 300, wheel::scripts::run_table_formats)
        .about("compaction and deletion in tables of Delta Lake and Apache Iceberg, and commits that race with them")
        .needs(&[PYTHON]),
    extended("engines", 400, wheel::scripts::run_engines)
        .about("sources and sinks for Polars, DuckDB, DataFusion, Spark, Dask, Daft and Ray: random conditions, types, partitions and errors")
        .needs(&[PYTHON, JAVA]),
    extended("thrift-cpp", 300, python::run_thrift_cpp)
        .about("all methods of ThriftTest over TCP, with Apache Thrift's library for C++, both ways")
        .needs(&[
            Need::Program("python3", "Debian: python3"),
            Need::Program("g++", "Debian: g++"),
            THRIFT_COMPILER,
            Need::File("/usr/include/thrift/Thrift.h", "Debian: libthrift-dev"),
            Need::File("/usr/include/boost/version.hpp", "Debian: libboost-dev"),
        ]),
    extended("idl-corpus", 600, idl::run_stage)
        .about("IDL of fbthrift, pilota and volo: compiled, and the generated code checked by rustc")
        .needs(&[Need::Folder(
            "BYTELANE_IDL_CORPUS",
            "a folder for each project, with its .thrift files by their paths",
        )]),
    extended("peers-parquet", 300, crate::record::parquet::run_quick)
        .about("small Parquet files, which all libraries of the record must read alike")
        .needs(&[PYTHON]),
    extended("mutated-files", 7200, files::run_mutated)
        .about("two million changed Parquet files, read with limited memory: no abort, no panic")
        .needs(&[Need::Program("prlimit", "Debian: util-linux")]),
    extended("hostile-files", 14400, files::run_hostile)
        .about("Parquet files that contradict themselves, and bombs at 1, 2 and 4 GiB, for every function")
        .needs(&[PYTHON]),
    extended("growth", 3600, files::run_growth)
        .about("instructions of every command while columns, row groups, pages, pairs and files double")
        .needs(&[PYTHON, Need::X86, Need::Program("valgrind", "Debian: valgrind")]),
    extended("salvaged-files", 1800, files::run_salvaged)
        .about("5,000 Parquet files with flipped bits: salvaged, and the results read by two libraries")
        .needs(&[PYTHON]),
    extended("random-files", 3600, files::run_random)
        .about("10,000 random Parquet files of pyarrow: read, in parts, and rewritten, the same values")
        .needs(&[PYTHON]),
    extended("random-pairs", 3600, files::run_pairs)
        .about("20,000 random pairs of Parquet files: merged and rewritten, they mean the same to four libraries")
        .needs(&[PYTHON]),
    extended("foreign-files", 1800, files::run_foreign)
        .about("test files of other Parquet projects: what two other libraries read is read")
        .needs(&[
            PYTHON,
            Need::Folder(
                "BYTELANE_PARQUET_FILES",
                "a folder for each project, with its test files",
            ),
        ]),
];
