//! Program `bytelane`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(bytelane_cli::run(std::env::args_os(), std::process::exit))
}
