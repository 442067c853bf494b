//! `cargo xtask install-c`: builds and installs the C libraries, their headers, and the files for
//! pkg-config and CMake.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use crate::folder::Folder;
use crate::process::{cargo, compile, output, program, root};

/// Options of `cargo xtask install-c`.
#[derive(clap::Args)]
pub struct Options {
    /// Where to install: `include` and `lib` are created below it
    #[arg(long, value_name = "DIRECTORY")]
    prefix: PathBuf,
}

/// Library to install.
pub struct Library {
    /// Name, without `lib`.
    pub name: &'static str,
    /// File name of cargo's output, without `lib` and extension.
    built: &'static str,
    /// Prefixes of the exported functions.
    exports: &'static [&'static str],
    /// Headers, as paths from the directory `crates`.
    pub headers: &'static [&'static str],
    description: &'static str,
}

pub const LIBRARIES: &[Library] = &[
    Library {
        name: "bytelane",
        built: "bytelane_capi",
        exports: &["bytelane_"],
        headers: &[
            "bytelane-capi/include/bytelane.h",
            "bytelane-capi/include/bytelane.hpp",
            "bytelane-capi/include/bytelane_generated.hpp",
        ],
        description: "Codecs between values and the bytes of wire and file formats, with SIMD",
    },
    Library {
        name: "bytelane_streamvbyte",
        built: "bytelane_streamvbyte",
        exports: &["streamvbyte_", "zigzag_"],
        headers: &["bytelane-streamvbyte/include/bytelane_streamvbyte.h"],
        description: "The functions of the C library streamvbyte, with the kernels of bytelane",
    },
];

/// Libraries that a static library needs besides itself: Rust's standard library uses them. The unwinder is not among
/// them: compilers link the shared `gcc_s` or, with `-static`, `gcc_eh`.
const PRIVATE: [&str; 6] = ["-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"];

/// Version of the workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Directory of the templates.
const TEMPLATES: &str = "crates/bytelane-capi/package";

pub fn run_command(options: &Options) -> Result<ExitCode> {
    let prefix = std::path::absolute(&options.prefix)?;
    install(&prefix)?;
    println!("{}", hint(&fs::canonicalize(prefix)?));
    Ok(ExitCode::SUCCESS)
}

/// Explains how programs find the libraries below a prefix, an absolute path.
fn hint(prefix: &Path) -> String {
    let lib = prefix.join("lib");
    let lib = lib.display();
    format!(
        "\
Programs that use the shared libraries need one of:
  when they are linked:   -Wl,-rpath,{lib}
  once:                   sudo ldconfig, if /etc/ld.so.conf lists {lib}
  when they are started:  export LD_LIBRARY_PATH={lib}
For pkg-config, if it does not find bytelane:
  export PKG_CONFIG_PATH={lib}/pkgconfig"
    )
}

/// Builds everything and installs it below a directory.
pub fn install(prefix: &Path) -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "only Linux is supported");
    let build = "build --locked --profile c --package bytelane-capi --package bytelane-streamvbyte";
    compile(cargo(build).args(["--target-dir", "target"]))?;
    let prefix = Folder::at(prefix)?;
    for library in LIBRARIES {
        library.install(&prefix)?;
    }
    for file in ["bytelane-config.cmake", "bytelane-config-version.cmake"] {
        let path = format!("lib/cmake/bytelane/{file}");
        prefix.write(&path, fill_in(file, &[])?)?;
    }
    println!("installed below {}", prefix.path.display());
    Ok(())
}

impl Library {
    fn install(&self, prefix: &Folder) -> Result<()> {
        let (built, lib) = (root().join("target/c"), prefix.below("lib")?);
        let Self {
            name, built: from, ..
        } = self;
        for header in self.headers {
            let header = root().join("crates").join(header);
            let file = header.file_name().context("a header has a name")?;
            prefix.copy(&header, &format!("include/{}", file.display()))?;
        }
        let full = format!("lib{name}.so.{VERSION}");
        lib.copy(&built.join(format!("lib{from}.so")), &full)?;
        let by_abi = format!("lib{name}.so.{}", abi());
        link(&full, &lib.path.join(&by_abi))?;
        link(&by_abi, &lib.path.join(format!("lib{name}.so")))?;
        self.archive(
            &built.join(format!("lib{from}.a")),
            &lib.path.join(format!("lib{name}.a")),
        )?;
        let description = [("@NAME@", *name), ("@DESCRIPTION@", self.description)];
        let text = fill_in("library.pc.in", &description)?;
        lib.write(&format!("pkgconfig/{name}.pc"), text)
    }

    /// Creates a static library from a single object that exports only the C functions: Rust's own
    /// symbols would clash with those of other static libraries that contain Rust.
    ///
    /// The object has no section groups, because a linker keeps one group of each name, and would
    /// remove what local symbols of the other refer to. It has no undefined symbols without a use
    /// either: these would make a function necessary that another library calls only if it exists.
    fn archive(&self, from: &Path, to: &Path) -> Result<()> {
        let object = from.with_extension("o");
        let exported = self.exported(from)?;
        let roots = exported.iter().flat_map(|symbol| ["-u", symbol]);
        run_quietly(
            program("ld")
                .args(["-r", "--gc-sections", "--force-group-allocation", "-o"])
                .arg(&object)
                .args(roots)
                .arg(from),
        )?;
        let options = ["--keep-global-symbol", "--keep-symbol"];
        let kept = exported
            .iter()
            .flat_map(|symbol| options.map(|option| format!("{option}={symbol}")));
        // Tools of another LLVM cannot read the bitcode in Rust's standard library.
        let dropped = ["--strip-unneeded", "-R", ".llvmbc", "-R", ".llvmcmd"];
        run_quietly(program("objcopy").args(dropped).args(kept).arg(&object))?;
        let _ = fs::remove_file(to);
        run_quietly(program("ar").arg("rcs").arg(to).arg(&object))
    }

    /// Returns the symbols of a static library that are C functions of this library.
    fn exported(&self, archive: &Path) -> Result<Vec<String>> {
        let listing = output(
            program("nm")
                .args(["-g", "--defined-only", "-j"])
                .arg(archive),
        )?;
        let ours = |symbol: &&str| self.exports.iter().any(|start| symbol.starts_with(start));
        let mut symbols: Vec<_> = listing
            .text
            .lines()
            .filter(ours)
            .map(str::to_owned)
            .collect();
        symbols.sort();
        ensure!(!symbols.is_empty(), "{} exports nothing", archive.display());
        Ok(symbols)
    }
}

/// Returns the part of the version that changes with the interface; build.rs of the crates has the same rule.
fn abi() -> String {
    match env!("CARGO_PKG_VERSION_MAJOR") {
        "0" => concat!("0.", env!("CARGO_PKG_VERSION_MINOR")).to_owned(),
        major => major.to_owned(),
    }
}

/// Fills in a template.
fn fill_in(template: &str, more: &[(&str, &str)]) -> Result<String> {
    let path = root().join(TEMPLATES).join(template);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let separator = if template.ends_with(".cmake") {
        ";"
    } else {
        " "
    };
    let ours = [
        ("@VERSION@", VERSION),
        ("@ABI@", &*abi()),
        ("@ABI_PATTERN@", &*abi().replace('.', "\\\\.")),
        ("@PRIVATE@", &*PRIVATE.join(separator)),
    ];
    let all = ours.iter().chain(more);
    Ok(all.fold(text, |text, (name, value)| text.replace(name, value)))
}

fn run_quietly(command: &mut std::process::Command) -> Result<()> {
    output(command).map(|_| ())
}

fn link(target: &str, path: &Path) -> Result<()> {
    let _ = fs::remove_file(path);
    symlink(target, path).with_context(|| format!("cannot link {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::hint;
    use std::path::Path;

    #[test]
    fn the_hint_names_the_directories() {
        let hint = hint(Path::new("/opt/bytelane"));
        for line in [
            "-Wl,-rpath,/opt/bytelane/lib\n",
            "sudo ldconfig, if /etc/ld.so.conf lists /opt/bytelane/lib\n",
            "export LD_LIBRARY_PATH=/opt/bytelane/lib\n",
            "export PKG_CONFIG_PATH=/opt/bytelane/lib/pkgconfig",
        ] {
            assert!(hint.contains(line), "no `{line}` in\n{hint}");
        }
    }
}
