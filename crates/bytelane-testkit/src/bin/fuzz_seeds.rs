//! Writes the seed inputs of the fuzz targets: `fuzz_seeds fuzz/corpus` creates
//! `fuzz/corpus/decoder/..` and so on.

use bytelane_testkit::cursor;
use bytelane_testkit::fuzz::{decoder_seeds, encoder_seeds};
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let directory = std::env::args_os().nth(1).expect("a directory to write to");
    for (target, seeds) in [
        ("cursor", cursor::seeds()),
        ("decoder", decoder_seeds()),
        ("encoder", encoder_seeds()),
    ] {
        let directory = PathBuf::from(&directory).join(target);
        std::fs::create_dir_all(&directory)?;
        for (number, seed) in seeds.iter().enumerate() {
            std::fs::write(directory.join(format!("seed-{number:04}")), seed)?;
        }
    }
    Ok(())
}
