//! Growth of a program that calls one function of a codec.

use anyhow::{Context, Result, ensure};

use crate::process::{cargo, compile, output, program, root};

/// Maximum number of bytes of machine code and constants that one call may add to a program,
/// including kernels of all instruction sets.
const MOST: u64 = 25_000;

/// Calls that add more, and their limits: `docs/lab-notes/code-size.md` explains why.
const LARGER: &[(&str, u64)] = &[
    ("alp_decode", 26_000),
    ("alp_encode", 213_000),
    ("bit_packing_decode", 51_000),
    ("bit_packing_encode", 81_500),
    ("delta_encode", 101_000),
    ("json_string_escape", 38_500),
    ("json_string_unescape", 29_000),
    ("rle_hybrid_decode", 29_500),
    ("rle_hybrid_encode", 90_000),
    ("rle_hybrid_look_up", 42_000),
    ("stream_vbyte_cursor", 36_000),
    ("stream_vbyte_decode", 34_500),
    ("validity_offsets", 32_000),
];

/// Directory in which `cargo` builds the programs of the package `bytelane-size`.
const TARGET: &str = "target/assembly";

/// Builds the programs, and compares each with the one that calls nothing.
pub fn check() -> Result<()> {
    compile(
        cargo("build --locked --release --package bytelane-size --bins")
            .args(["--target-dir", TARGET]),
    )?;
    let nothing = size("nothing")?;
    let mut heavy = Vec::new();
    for name in programs()? {
        let added = size(&name)?.saturating_sub(nothing);
        println!("{name:<28} {added:>7} bytes");
        let larger = LARGER.iter().find(|(larger, _)| *larger == name);
        let most = larger.map_or(MOST, |(_, most)| *most);
        if added > most {
            heavy.push(format!("{name} adds {added} bytes, {most} at most"));
        }
    }
    let heavy = heavy.join("; ");
    ensure!(heavy.is_empty(), "calls weigh too much: {heavy}");
    Ok(())
}

/// Returns the file names of the programs that call something.
fn programs() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in root().join("xtask/size/src/bin").read_dir()? {
        let path = entry?.path();
        let name = path.file_stem().context("a file without a name")?;
        names.push(name.to_string_lossy().into_owned());
    }
    names.retain(|name| name != "nothing");
    names.sort();
    ensure!(!names.is_empty(), "xtask/size has no programs");
    Ok(names)
}

/// Returns the bytes of machine code and constants in a program. The unwind tables are left out:
/// the part of the standard library's tables that the linker keeps varies by several hundred bytes.
fn size(name: &str) -> Result<u64> {
    let path = root().join(TARGET).join("release").join(name);
    let table = output(program("size").arg("-A").arg(path))?.text;
    let of_section = |name: &str| -> Option<u64> {
        let mut lines = table.lines().map(str::split_whitespace);
        let mut line = lines.find(|line| line.clone().next() == Some(name))?;
        line.nth(1)?.parse().ok()
    };
    let sizes = of_section(".text").zip(of_section(".rodata"));
    let (code, constants) = sizes.with_context(|| format!("`size` said of {name}: {table}"))?;
    Ok(code + constants)
}
