//! Rules for every command.

use crate::{bytelane, failure, text};
use std::fs;
use std::process::Stdio;

fn stdout(arguments: &[&str]) -> String {
    text(&bytelane(arguments).unwrap().stdout)
}

#[test]
fn cpu_lists_every_backend_and_one_is_active() {
    let shown = text(&bytelane(&["cpu"]).env("COLUMNS", "400").unwrap().stdout);
    for backend in bytelane::Backend::ALL {
        let line = shown
            .lines()
            .find(|line| line.trim_start().starts_with(backend.name()));
        let line = line.unwrap_or_else(|| panic!("no {backend} in\n{shown}"));
        let state = if *backend == bytelane::Backend::active() {
            " active"
        } else if backend.is_available() {
            " available"
        } else {
            " unavailable: no "
        };
        assert!(line.contains(state), "{line}");
    }
    assert!(shown.contains("the best one of this CPU"), "{shown}");
}

#[test]
fn commands_of_the_python_package_are_named() {
    for (name, extra) in [("delta", "deltalake"), ("iceberg", "iceberg")] {
        let problem = failure(&mut bytelane(&[name, "compact", "table"]));
        let tip = format!("pip install \"bytelane[{extra}]\"");
        assert!(problem.contains(&tip), "{problem}");
    }
}

#[test]
fn the_environment_forces_a_backend() {
    let output = bytelane(&["cpu"])
        .env("BYTELANE_BACKEND", "scalar")
        .unwrap();
    assert!(text(&output.stdout).contains("backend: scalar, forced by BYTELANE_BACKEND"));
    bytelane(&["cpu"])
        .env("BYTELANE_BACKEND", "")
        .assert()
        .success();
}

#[test]
fn a_wrong_backend_is_an_error_that_lists_the_right_ones() {
    let missing = bytelane::Backend::ALL
        .iter()
        .find(|backend| !backend.is_available());
    let missing = missing
        .expect("no machine has every instruction set")
        .name();
    for name in ["avx3", missing] {
        for arguments in [
            &["cpu"][..],
            &["encode", "big_endian:width=4"],
            &["bench", "codec"],
        ] {
            let message = failure(bytelane(arguments).env("BYTELANE_BACKEND", name));
            assert!(
                message.contains(&format!("BYTELANE_BACKEND={name}")),
                "{message}"
            );
            assert!(
                message.contains(": scalar") || message.contains("backends are scalar"),
                "{message}"
            );
        }
    }
}

#[test]
fn misspelt_commands_and_options_get_a_suggestion() {
    assert!(failure(&mut bytelane(&["encod"])).contains("'encode'"));
    assert!(failure(&mut bytelane(&["bench", "codec", "--operatoin"])).contains("'--operation'"));
}

#[test]
fn completions_name_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stdout(&["completions", shell]);
        for command in ["cpu", "bench", "encode", "decode", "completions", "man"] {
            assert!(script.contains(command), "{command} in {shell}");
        }
    }
}

#[test]
fn manual_pages_describe_every_command() {
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("share/man1");
    assert_eq!(stdout(&["man", pages.to_str().unwrap()]), "");
    let page = |name: &str| fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
    let help = stdout(&["--help"]);
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let commands = commands.filter_map(|line| line.strip_prefix("  "));
    let names = commands.filter_map(|line| line.split(' ').next());
    let names: Vec<_> = names.filter(|name| !["", "help"].contains(name)).collect();
    assert!(names.contains(&"head"), "{names:?}");
    for name in names {
        let text = page(&format!("bytelane-{name}"));
        assert!(text.contains(&format!("bytelane\\-{name} \\- ")), "{text}");
    }
    assert!(page("bytelane").contains("bytelane\\-cat(1)"));
    assert!(page("bytelane-head").contains("\\-\\-where"));
    assert!(page("bytelane-dataset-plan").contains("bytelane dataset plan"));
    let message = failure(&mut bytelane(&["man", "/dev/null/pages"]));
    assert!(message.contains("pages to /dev/null/pages: "), "{message}");
}

#[test]
fn colour_only_where_it_is_wanted() {
    let escape = "\u{1b}[";
    let wrong = ["encode", "byte_stream_split:width=8", "/nonexistent"];
    assert!(!failure(&mut bytelane(&wrong)).contains(escape));
    let coloured = |color: &str| {
        let output = bytelane(&["--color", color]).args(wrong).output().unwrap();
        text(&output.stderr).contains(escape)
    };
    assert!(coloured("always"));
    assert!(!coloured("never"));
}

#[test]
fn every_command_survives_a_closed_pipe() {
    for arguments in [
        &["cpu"][..],
        &["completions", "bash"],
        &["--help"],
        &["encode", "--help"],
    ] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("bytelane"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn commands_and_flags_of_other_programs_get_a_hint() {
    for (arguments, hint) in [
        (&["meta", "a.parquet"][..], "bytelane inspect"),
        (&["rows", "a.parquet"], "bytelane cat"),
        (&["ls", "lake"], "bytelane count"),
        (&["head", "-5", "a.parquet"], "-n 5"),
        (&["head", "a.parquet", "-100"], "-n 100"),
    ] {
        let message = crate::text(&bytelane(arguments).output().unwrap().stderr);
        assert!(message.contains(hint), "{arguments:?}: {message}");
    }
}
