//! Writes the initial inputs of the fuzz targets, and keeps the inputs that they found.
//!
//! - `fuzz_seeds read KEPT CORPUS` writes the seeds, and the inputs in `KEPT/TARGET.txt`, to
//!   `CORPUS/TARGET/..`.
//! - `fuzz_seeds keep DIRECTORY FILE` writes the files of a directory as the lines of one file.

use bytelane_testkit::fuzz::{decoder_seeds, encoder_seeds, kept, lines_of};
use bytelane_testkit::{alp, cursor, fsst, utf8, validity};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match &arguments[..] {
        [command, kept, corpus] if command == "read" => read(kept, corpus),
        [command, directory, file] if command == "keep" => keep(directory, file),
        _ => panic!("usage: fuzz_seeds read KEPT CORPUS | fuzz_seeds keep DIRECTORY FILE"),
    }
}

fn read(kept_in: &Path, corpus: &Path) -> io::Result<()> {
    write(&corpus.join("alp"), "seed", &alp::seeds())?;
    write(&corpus.join("cursor"), "seed", &cursor::seeds())?;
    write(&corpus.join("decoder"), "seed", &decoder_seeds())?;
    write(&corpus.join("encoder"), "seed", &encoder_seeds())?;
    write(&corpus.join("fsst"), "seed", &fsst::seeds())?;
    write(&corpus.join("utf8"), "seed", &utf8::seeds())?;
    write(&corpus.join("validity"), "seed", &validity::seeds())?;
    for entry in fs::read_dir(kept_in)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let target = path.file_stem().expect("a file has a name");
            let inputs = kept(&fs::read_to_string(&path)?);
            write(&corpus.join(target), "kept", &inputs)?;
        }
    }
    Ok(())
}

fn write(directory: &Path, name: &str, inputs: &[Vec<u8>]) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for (number, input) in inputs.iter().enumerate() {
        fs::write(directory.join(format!("{name}-{number:04}")), input)?;
    }
    Ok(())
}

fn keep(directory: &Path, file: &Path) -> io::Result<()> {
    let entries = fs::read_dir(directory)?;
    let inputs = entries.map(|entry| fs::read(entry?.path()));
    let inputs: Vec<Vec<u8>> = inputs.collect::<io::Result<_>>()?;
    fs::write(file, lines_of(inputs))
}
