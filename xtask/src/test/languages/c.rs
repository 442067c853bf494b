//! The stage `c`: installs the C libraries into a directory, and builds and runs C and C++ programs
//! with them as a user would.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::python;
use crate::folder::Folder;
use crate::install_c::{LIBRARIES, install};
use crate::peers::streamvbyte_sources;
use crate::process::{output, program, root, run};

const CRATE: &str = "crates/bytelane-capi";

/// Compiler flags for both languages; warnings are errors.
const STRICT: [&str; 7] = [
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Werror",
    "-pedantic",
];

pub fn run_stage() -> Result<()> {
    let place = Place::new()?;
    install(&place.prefix())?;
    exports_are_those_of_the_headers(&place)?;
    for (c, cpp) in [("gcc", "g++"), ("clang", "clang++")] {
        place.build(c, &["tests/c/calls.c", "tests/c/streamvbyte.c"])?;
        place.build(c, &["examples/split.c", "examples/base64.c"])?;
        place.build(cpp, &["tests/c/header.cpp", "examples/posting_list.cpp"])?;
        for name in ["calls", "streamvbyte", "header", "posting_list"] {
            run(&mut place.program(name))?;
        }
        the_filter_inverts_itself(&place)?;
    }
    splits_as_numpy_does(&place)?;
    the_original_example_runs_relinked(&place)?;
    cmake_finds_the_package(&place)?;
    the_commands_of_the_guide_run(&place)?;
    pkg_config_links_statically(&place)?;
    another_rust_library_links_beside(&place)?;
    tools_find_no_fault(&place)
}

/// Directory in which everything is installed and built.
struct Place(PathBuf);

impl Place {
    fn new() -> Result<Self> {
        let directory = Folder::empty("target/c-programs")?;
        directory.below("bin")?;
        Ok(Self(directory.path))
    }

    fn prefix(&self) -> PathBuf {
        self.0.join("prefix")
    }

    fn bin(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    /// Returns a command for a program that finds the installed libraries.
    fn command(&self, name: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = program(name);
        command.env("LD_LIBRARY_PATH", self.prefix().join("lib"));
        command
    }

    fn program(&self, name: &str) -> Command {
        self.command(self.bin(name))
    }

    /// Makes a command find the libraries only by pkg-config.
    fn alone<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_remove("LD_LIBRARY_PATH")
            .env("PKG_CONFIG_PATH", self.prefix().join("lib/pkgconfig"))
    }

    /// Returns the flags of pkg-config for the libraries.
    fn flags(&self, libraries: &[&str]) -> Result<Vec<String>> {
        let mut command = program("pkg-config");
        command.env("PKG_CONFIG_PATH", self.prefix().join("lib/pkgconfig"));
        let found = output(command.args(["--cflags", "--libs"]).args(libraries))?;
        Ok(found.text.split_whitespace().map(str::to_owned).collect())
    }

    /// Builds programs that consist of one file each.
    fn build(&self, compiler: &str, sources: &[&str]) -> Result<()> {
        for source in sources {
            let source = Path::new(CRATE).join(source);
            let name = source.file_stem().context("a source has a name")?;
            self.compile(compiler, &source, &self.0.join("bin").join(name), &[])?;
        }
        Ok(())
    }

    fn compile(&self, compiler: &str, source: &Path, to: &Path, more: &[&str]) -> Result<()> {
        let is_c = source.extension().is_some_and(|extension| extension == "c");
        let standard = if is_c { "-std=c11" } else { "-std=c++17" };
        let mut command = program(compiler);
        command.arg(standard).args(STRICT).args(more).arg(source);
        command.args(self.flags(&["bytelane", "bytelane_streamvbyte"])?);
        run(command.arg("-o").arg(to))
    }
}

/// Checks that the symbols of a shared library are the functions that its headers declare.
fn exports_are_those_of_the_headers(place: &Place) -> Result<()> {
    for library in LIBRARIES {
        let shared = format!("lib/lib{}.so", library.name);
        let mut nm = program("nm");
        nm.args(["--dynamic", "--defined-only", "--just-symbols"]);
        let exported = output(nm.arg(place.prefix().join(shared)))?.text;
        let exported: BTreeSet<_> = exported.lines().collect();
        let mut header = String::new();
        for path in library.headers.iter().filter(|path| path.ends_with(".h")) {
            header += &fs::read_to_string(root().join("crates").join(path))?;
        }
        let declared: BTreeSet<_> = declared(&header).collect();
        ensure!(
            exported == declared,
            "lib{} exports {:?} beyond its header and lacks {:?}",
            library.name,
            exported.difference(&declared).collect::<Vec<_>>(),
            declared.difference(&exported).collect::<Vec<_>>(),
        );
        println!("lib{} exports {} functions", library.name, exported.len());
    }
    Ok(())
}

/// Returns the names of the functions that a header declares: before the first parenthesis of a
/// line that begins a declaration.
fn declared(header: &str) -> impl Iterator<Item = &str> {
    let begins = |line: &&str| line.starts_with(|first: char| first.is_ascii_lowercase());
    let lines = header.lines().filter(begins);
    let functions = lines.filter(|line| !line.starts_with("typedef") && !line.contains("inline"));
    functions.filter_map(|line| {
        let (before, _) = line.split_once('(')?;
        before.rsplit([' ', '*']).next()
    })
}

/// Runs a command with this input, and returns its output.
fn filter(command: &mut Command, input: &[u8]) -> Result<Vec<u8>> {
    let file = root().join("target/c-programs/input");
    fs::write(&file, input)?;
    let stdin = Stdio::from(fs::File::open(&file)?);
    let output = command.stdin(stdin).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{command:?} failed");
    Ok(output.stdout)
}

/// Returns bytes of all values, more than a program reads at once.
fn some_bytes() -> Vec<u8> {
    let number = |i: u32| i.wrapping_mul(2_654_435_769).rotate_left(i % 32);
    (0..100_000).flat_map(|i| number(i).to_le_bytes()).collect()
}

fn the_filter_inverts_itself(place: &Place) -> Result<()> {
    let text = filter(&mut place.program("base64"), &some_bytes())?;
    let bytes = filter(place.program("base64").arg("-d"), &text)?;
    ensure!(bytes == some_bytes(), "base64 -d returned something else");
    println!("the filter base64 inverts itself");
    Ok(())
}

/// Program that splits bytes with NumPy, by transposition.
const TRANSPOSE: &str = "
import sys, numpy
values = numpy.fromfile(sys.argv[1], dtype=numpy.uint8).reshape(-1, 4)
pages = [values[i:i + 65536].T.tobytes() for i in range(0, len(values), 65536)]
sys.stdout.buffer.write(b''.join(pages))
";

fn splits_as_numpy_does(place: &Place) -> Result<()> {
    let split = filter(&mut place.program("split"), &some_bytes())?;
    let mut numpy = program(python::environment()?);
    let expected = filter(
        numpy.args(["-c", TRANSPOSE]).arg(place.0.join("input")),
        &some_bytes(),
    )?;
    ensure!(split == expected, "split and NumPy differ");
    println!("split does what NumPy does");
    Ok(())
}

/// Runs the example and the unit test of the C library, compiled with its own headers, but linked
/// with our library. The source comes with the crate that the comparisons use.
fn the_original_example_runs_relinked(place: &Place) -> Result<()> {
    let source = streamvbyte_sources()?;
    for name in ["example.c", "tests/unit.c"] {
        let object = place.bin("original.o");
        run(program("gcc")
            .args(["-std=c99", "-O1", "-c", "-I"])
            .arg(source.join("include"))
            .arg(source.join(name))
            .arg("-o")
            .arg(&object))?;
        let flags = place.flags(&["bytelane_streamvbyte"])?;
        let mut link = program("gcc");
        run(link
            .arg(&object)
            .args(flags)
            .arg("-o")
            .arg(place.bin("original")))?;
        run(&mut place.program("original"))?;
    }
    Ok(())
}

fn cmake_finds_the_package(place: &Place) -> Result<()> {
    let build = place.0.join("cmake");
    let mut prefix = std::ffi::OsString::from("-DCMAKE_PREFIX_PATH=");
    prefix.push(place.prefix());
    let examples = format!("{CRATE}/examples");
    run(program("cmake")
        .args(["-S", &examples, "-B"])
        .arg(&build)
        .arg(prefix))?;
    run(program("cmake").arg("--build").arg(&build))?;
    for kind in ["bytelane", "bytelane_static"] {
        // CMake has passed the path of the shared library to the linker.
        run(&mut program(build.join(format!("posting_list_{kind}"))))?;
    }
    Ok(())
}

/// Runs the commands of the guide's chapter "A first program" as a user would: only pkg-config knows where
/// the libraries are.
fn the_commands_of_the_guide_run(place: &Place) -> Result<()> {
    let guide = fs::read_to_string(root().join("docs/getting-started/c.md"))?;
    let commands = commands(&guide, "## A first program");
    ensure!(commands.len() == 3, "the guide has {commands:?}");
    let guide = Folder::at(place.0.join("guide"))?;
    let source = root().join(CRATE).join("examples/base64.c");
    guide.copy(&source, "base64.c")?;
    let directory = guide.path;
    for commands in commands {
        let mut shell = program("sh");
        shell.args(["-e", "-c", commands]).current_dir(&directory);
        let printed = output(place.alone(&mut shell))?.text;
        ensure!(printed == "hello\n", "{commands}prints {printed:?}");
    }
    for (name, is_shared) in [
        ("base64", true),
        ("base64-static", false),
        ("base64-archive", false),
    ] {
        let needed = output(program("readelf").arg("-d").arg(directory.join(name)))?.text;
        ensure!(
            needed.contains("libbytelane") == is_shared,
            "{name}: {needed}"
        );
    }
    println!("the commands of the guide run");
    Ok(())
}

/// Returns the code blocks of a chapter.
fn commands<'a>(guide: &'a str, heading: &str) -> Vec<&'a str> {
    let chapter = guide.split_once(heading).map_or("", |(_, rest)| rest);
    let chapter = chapter.split("\n## ").next().unwrap_or_default();
    let blocks = chapter.split("```text\n").skip(1);
    blocks
        .filter_map(|block| Some(block.split_once("```")?.0))
        .collect()
}

/// Builds and runs programs in both languages, for both libraries, that need no shared library.
fn pkg_config_links_statically(place: &Place) -> Result<()> {
    let sources = [
        ("gcc", "tests/c/calls.c"),
        ("clang", "tests/c/calls.c"),
        ("gcc", "tests/c/streamvbyte.c"),
        ("g++", "tests/c/header.cpp"),
    ];
    for (compiler, source) in sources {
        let mut flags = program("pkg-config");
        flags.env("PKG_CONFIG_PATH", place.prefix().join("lib/pkgconfig"));
        flags.args([
            "--static",
            "--cflags",
            "--libs",
            "bytelane",
            "bytelane_streamvbyte",
        ]);
        let flags = output(&mut flags)?.text;
        let to = place.bin("static");
        run(program(compiler)
            .args(STRICT)
            .arg("-static")
            .arg(Path::new(CRATE).join(source))
            .args(flags.split_whitespace())
            .arg("-o")
            .arg(&to))?;
        let needed = output(program("readelf").arg("-d").arg(&to))?.text;
        ensure!(!needed.contains("NEEDED"), "{source}: {needed}");
        run(place.alone(&mut program(&to)))?;
    }
    println!("programs are linked statically by the flags of pkg-config");
    Ok(())
}

/// Links the static libraries and one of another Rust crate into a program, in each order.
fn another_rust_library_links_beside(place: &Place) -> Result<()> {
    let tests = root().join(CRATE).join("tests/c");
    let other = place.0.join("libbeside.a");
    run(program("rustc")
        .args(["--edition=2024", "--crate-type=staticlib", "-O"])
        .arg(tests.join("beside.rs"))
        .arg("-o")
        .arg(&other))?;
    let ours = |name: &str| place.prefix().join("lib").join(format!("lib{name}.a"));
    let [ours, more] = ["bytelane", "bytelane_streamvbyte"].map(ours);
    let orders = [
        [&ours, &more, &other],
        [&other, &more, &ours],
        [&more, &other, &ours],
    ];
    for compiler in ["gcc", "clang"] {
        for archives in orders {
            let to = place.bin("beside");
            run(program(compiler)
                .args(STRICT)
                .arg("-I")
                .arg(place.prefix().join("include"))
                .arg(tests.join("beside.c"))
                .args(archives)
                .args(["-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"])
                .arg("-o")
                .arg(&to))?;
            run(place.alone(&mut program(&to)))?;
        }
    }
    println!("the static libraries are linked beside another Rust library");
    Ok(())
}

/// Runs the C programs under AddressSanitizer, UndefinedBehaviorSanitizer and valgrind. The
/// sanitizers check only the C code; valgrind also checks the kernels, on x86-64 those for AVX2,
/// because it does not emulate AVX-512.
fn tools_find_no_fault(place: &Place) -> Result<()> {
    let sanitized = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    for name in ["calls", "streamvbyte"] {
        let source = Path::new(CRATE).join(format!("tests/c/{name}.c"));
        place.compile("gcc", &source, &place.bin("sanitized"), &sanitized)?;
        run(&mut place.program("sanitized"))?;
        place.compile("gcc", &source, &place.bin(name), &[])?;
        let mut valgrind = place.command("valgrind");
        valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
        valgrind.arg("--partial-loads-ok=no").arg(place.bin(name));
        if cfg!(target_arch = "x86_64") && name == "calls" {
            valgrind.arg("avx2");
        }
        run(&mut valgrind)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{commands, declared};

    #[test]
    fn commands_of_a_chapter_are_found() {
        let guide = "## A\n```text\nno\n```\n## B\n```text\none\n```\n```c\nno\n```\n\
            ```text\ntwo\nthree\n```\n## C\n```text\nno\n```\n";
        assert_eq!(commands(guide, "## B"), ["one\n", "two\nthree\n"]);
    }

    #[test]
    fn declarations_are_found() {
        let header = "// a (comment)\ntypedef enum a {\nstatic inline int no(void) {\n\
            const char *one(void);\nstruct r two(int a,\n             int b);\nvoid three(int);\n";
        assert_eq!(
            declared(header).collect::<Vec<_>>(),
            ["one", "two", "three"]
        );
    }
}
