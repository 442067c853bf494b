//! `bytelane encode` and `bytelane decode` as a user runs them.

use crate::{bytelane, failure, text};
use bytelane_measure::data::{Dataset, ElementType};
use std::fs;
use std::process::Stdio;

/// Returns 1,000 doubles that are not all alike, as bytes.
fn doubles() -> Vec<u8> {
    (0..1000)
        .flat_map(|i| (f64::from(i) * 0.37).to_le_bytes())
        .collect()
}

/// Encodes one block as the specification of BYTE_STREAM_SPLIT does.
fn split(values: &[u8], width: usize) -> Vec<u8> {
    (0..width)
        .flat_map(|k| values.iter().skip(k).step_by(width).copied())
        .collect()
}

/// Runs with these bytes as standard input, and returns standard output.
fn pipe(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let output = bytelane(arguments).write_stdin(input).unwrap();
    assert_eq!(text(&output.stderr), "");
    output.stdout
}

#[test]
fn whole_input_is_one_block() {
    let values = doubles();
    let encoded = pipe(&["encode", "byte_stream_split:width=8"], &values);
    assert_eq!(encoded, split(&values, 8));
    assert_eq!(
        pipe(&["decode", "byte_stream_split:width=8", "-"], &encoded),
        values
    );
}

#[test]
fn blocks_of_n_values_with_a_shorter_last_one() {
    let values = doubles();
    let expected: Vec<u8> = values
        .chunks(300 * 8)
        .flat_map(|block| split(block, 8))
        .collect();
    let encoded = pipe(&["encode", "byte_stream_split:width=8,block=300"], &values);
    assert_eq!(encoded, expected);
    assert_eq!(
        pipe(&["decode", "byte_stream_split:block=300,width=8"], &encoded),
        values
    );
}

#[test]
fn big_endian_streams() {
    let values: Vec<u8> = (0..400_000_u32).flat_map(u32::to_le_bytes).collect();
    let expected: Vec<u8> = (0..400_000_u32).flat_map(u32::to_be_bytes).collect();
    let encoded = pipe(&["encode", "big_endian:width=4"], &values);
    assert!(encoded == expected);
    assert!(pipe(&["decode", "big_endian:width=4"], &encoded) == values);
}

#[test]
fn from_file_to_file_and_in_place() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in"), directory.path().join("out"));
    fs::write(&input, doubles()).unwrap();
    let run = |command: &str, from: &std::path::Path, to: &std::path::Path| {
        let arguments = [command, "byte_stream_split:width=8"];
        bytelane(&arguments)
            .arg(from)
            .arg("-o")
            .arg(to)
            .assert()
            .success()
            .stdout("")
            .stderr("");
    };
    run("encode", &input, &output);
    assert_eq!(fs::read(&output).unwrap(), split(&doubles(), 8));
    run("decode", &output, &output);
    assert_eq!(fs::read(&output).unwrap(), doubles());
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
}

#[test]
fn an_empty_input_is_an_empty_output() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("empty"), directory.path().join("out"));
    fs::write(&input, "").unwrap();
    for codec in [
        "byte_stream_split:width=8",
        "byte_stream_split:width=8,block=9",
        "big_endian:width=2",
    ] {
        for command in ["encode", "decode"] {
            bytelane(&[command, codec])
                .arg(&input)
                .arg("-o")
                .arg(&output)
                .assert()
                .success();
            assert_eq!(fs::read(&output).unwrap(), b"", "{command} {codec}");
            fs::remove_file(&output).unwrap();
        }
    }
}

#[test]
fn a_broken_input_names_its_numbers_and_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in"), directory.path().join("out"));
    fs::write(&input, [7; 13]).unwrap();
    for (codec, bytes) in [
        ("byte_stream_split:width=8", "13 bytes"),
        ("byte_stream_split:width=8,block=1", "at byte 8: 5 bytes"),
        ("big_endian:width=8", "13 bytes"),
    ] {
        for command in ["encode", "decode"] {
            let mut run = bytelane(&[command, codec]);
            let message = failure(run.arg(&input).arg("-o").arg(&output));
            assert!(
                message.contains(bytes) && message.contains("8 bytes"),
                "{message}"
            );
            assert!(message.contains(&*input.to_string_lossy()), "{message}");
            assert_eq!(
                fs::read_dir(&directory).unwrap().count(),
                1,
                "{command} {codec}"
            );
        }
    }
}

#[test]
fn a_failure_keeps_the_old_output() {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("out");
    fs::write(&output, "precious").unwrap();
    let mut run = bytelane(&["encode", "big_endian:width=4", "-o"]);
    failure(run.arg(&output).write_stdin([1, 2, 3]));
    assert_eq!(fs::read(&output).unwrap(), b"precious");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
}

#[test]
fn directories_and_missing_files() {
    let directory = tempfile::tempdir().unwrap();
    let name = directory.path().to_string_lossy().into_owned();
    let missing = format!("{name}/missing");
    let codec = "big_endian:width=4";
    assert!(failure(&mut bytelane(&["encode", codec, &name])).contains("is a directory"));
    assert!(failure(&mut bytelane(&["encode", codec, "-o", &name])).contains("is a directory"));
    assert!(failure(&mut bytelane(&["encode", codec, &missing])).contains(&missing));
    let beyond = format!("{missing}/out");
    assert!(failure(&mut bytelane(&["encode", codec, "-o", &beyond])).contains(&beyond));
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
}

#[test]
fn a_misspelt_codec_or_key_gets_a_suggestion() {
    let message = failure(&mut bytelane(&["encode", "byte_stream_spilt:width=8"]));
    assert!(message.contains("byte_stream_spilt"), "{message}");
    assert!(message.contains("byte_stream_split"), "{message}");
    let message = failure(&mut bytelane(&["encode", "byte_stream_split:widht=8"]));
    assert!(
        message.contains("`widht`") && message.contains("`width`"),
        "{message}"
    );
}

#[test]
fn wrong_values_of_keys() {
    for (codec, named) in [
        ("byte_stream_split:width=0", "width"),
        ("byte_stream_split:width=x", "width"),
        ("byte_stream_split:width=-8", "width"),
        ("byte_stream_split:width", "width"),
        ("byte_stream_split:width=8,block=0", "block"),
        ("byte_stream_split", "width"),
        ("byte_stream_split:width=99999999999999999999", "width"),
        (
            "byte_stream_split:width=18446744073709551615,block=18446744073709551615",
            "18446744073709551615",
        ),
    ] {
        let message = failure(bytelane(&["encode", codec]).write_stdin([0; 8]));
        assert!(message.contains(named), "{codec}: {message}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("bytelane"));
    let mut child = command
        .args(["encode", "big_endian:width=4", "/dev/zero"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (text(&output.stderr).as_str(), output.status.code()),
        ("", Some(0))
    );
}

#[test]
#[cfg(unix)]
fn links_devices_and_permissions_survive() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let (real, link) = (directory.path().join("real"), directory.path().join("link"));
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &link).unwrap();
    let run = |output: &std::path::Path| {
        let mut run = bytelane(&["encode", "big_endian:width=2", "--force", "-o"]);
        run.arg(output).write_stdin("abcd").assert().success();
    };
    run(&link);
    assert_eq!(fs::read(&real).unwrap(), b"badc");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o640);
    let (later, early) = (
        directory.path().join("later"),
        directory.path().join("early"),
    );
    symlink("later", &early).unwrap();
    run(&early);
    assert!(fs::symlink_metadata(&early).unwrap().is_symlink());
    assert_eq!(fs::read(&later).unwrap(), b"badc");
    run("/dev/null".as_ref());
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

/// Encodes 512 MiB from a pipe within 128 MiB of address space.
#[test]
#[cfg(target_os = "linux")]
fn long_streams_need_little_memory() {
    let limited = "ulimit -v 131072; head -c 536870912 /dev/zero | \"$0\" \"$@\" | wc -c";
    for codec in [
        "byte_stream_split:width=8,block=65536",
        "big_endian:width=4",
    ] {
        for command in ["encode", "decode"] {
            let output = std::process::Command::new("sh")
                .args(["-c", limited])
                .arg(assert_cmd::cargo::cargo_bin!("bytelane"))
                .args([command, codec])
                .output()
                .unwrap();
            assert_eq!(text(&output.stderr), "", "{command} {codec}");
            assert_eq!(
                text(&output.stdout).trim(),
                "536870912",
                "{command} {codec}"
            );
        }
    }
    // The lengths of both directions must agree.
    let limited = "ulimit -v 131072; head -c 536870912 /dev/zero | \"$0\" encode \"$1\" \
        | \"$0\" decode \"$1,count=134217728\" | cmp -n 536870912 - /dev/zero";
    let output = std::process::Command::new("sh")
        .args(["-c", limited])
        .arg(assert_cmd::cargo::cargo_bin!("bytelane"))
        .arg("stream_vbyte:delta=true,block=65536")
        .output()
        .unwrap();
    assert_eq!(text(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn base64_of_other_programs_has_line_breaks() {
    let text = b"Ynl0ZXMgdGhhdCBhcmUg\r\ndGV4dA==\n";
    assert_eq!(pipe(&["decode", "base64"], text), b"bytes that are text");
    let mut strict = bytelane(&["decode", "base64:whitespace=none"]);
    assert_eq!(
        failure(strict.write_stdin(&text[..])),
        "error: standard input: offset 20: the byte 0x0d is not in the base64 alphabet\n"
    );
}

#[test]
fn truncated_utf8_is_called_that() {
    let mut cut = bytelane(&["encode", "json_string"]);
    let output = cut.write_stdin(&b"caf\xc3"[..]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "error: standard input: offset 4: truncated UTF-8: the text ends within a character\n"
    );
}

#[test]
fn a_parameter_is_given_once() {
    let mut twice = bytelane(&["encode", "stream_vbyte:block=1,block=2"]);
    assert_eq!(
        failure(twice.write_stdin("")),
        "error: stream_vbyte:block is given more than once; give it once\n"
    );
}

/// Covers every case of every codec, including future ones. Formats that do not store the number of
/// values have a parameter for it.
#[test]
fn what_is_encoded_is_decoded() {
    const VALUES: usize = 1000;
    for entry in bytelane_catalog::CODECS {
        for case in entry.cases {
            let codec = entry.open(case).unwrap();
            let element: ElementType = codec.element().parse().unwrap();
            let dataset: &Dataset = codec.data()[0].parse().unwrap();
            let values = dataset.generate(element, VALUES, 1);
            let mut specification = format!("{}:{case}", entry.name);
            // Not every operation of a codec needs the number of values.
            if entry.open(&format!("{case},count=1")).is_ok() {
                // A bitmap has eight values in each byte.
                let count = if case.contains("type=bits") {
                    8 * VALUES
                } else {
                    VALUES
                };
                specification += &format!(",count={count}");
            }
            let encoded = pipe(&["encode", &specification], &values);
            let decoded = pipe(&["decode", &specification], &encoded);
            assert!(decoded == values, "{specification}");
        }
    }
}

#[test]
fn runs_need_the_number_of_values() {
    let values: Vec<u8> = [7_u32; 1000]
        .iter()
        .chain(&[1, 2, 3])
        .copied()
        .flat_map(u32::to_le_bytes)
        .collect();
    let encoded = pipe(&["encode", "rle_hybrid:type=u32,width=3"], &values);
    assert_eq!(encoded[..3], [0xd0, 0x0f, 7]);
    let decoded = pipe(
        &["decode", "rle_hybrid:type=u32,width=3,count=1003"],
        &encoded,
    );
    assert_eq!(decoded, values);
    let as_entries = "rle_hybrid:type=u32,width=3,entries=8,count=1003";
    assert_eq!(pipe(&["decode", as_entries], &encoded), values);

    let fails = |specification, input: &[u8]| {
        let mut decode = bytelane(&["decode", specification]);
        failure(decode.write_stdin(input))
    };
    let message = fails("rle_hybrid:type=u32,width=3", &encoded);
    assert!(message.contains("needs the parameter `count`"), "{message}");
    let message = fails("rle_hybrid:type=u32,width=3,count=500", &encoded);
    assert!(
        message.contains("bytes follow the run of the last value"),
        "{message}"
    );
    let message = fails("rle_hybrid:type=u32,width=3,entries=7,count=1003", &encoded);
    assert!(
        message.contains("offset 2: the dictionary has 7 entries, but not index 7"),
        "{message}"
    );

    let bits = pipe(&["encode", "rle_hybrid:type=bits,width=1"], &[0xff; 100]);
    assert_eq!(bits, [0xc0, 0x0c, 1]);
    let some = pipe(&["decode", "rle_hybrid:type=bits,width=1,count=12"], &bits);
    assert_eq!(some, [0xff, 0x0f]);
}

#[test]
fn pages_of_decimals_say_how_many_values_they_have() {
    let values: Vec<u8> = (0..100)
        .map(|i| f64::from(i) / 10.0)
        .flat_map(f64::to_le_bytes)
        .collect();
    let encoded = pipe(&["encode", "alp:type=f64,vector=64"], &values);
    assert_eq!(encoded[..7], [0, 0, 6, 100, 0, 0, 0]);
    assert_eq!(encoded.len(), 7 + 2 * (4 + 13) + 64 * 6 / 8 + 36 * 6 / 8);
    // The vector size is that of the page.
    assert_eq!(pipe(&["decode", "alp:type=f64"], &encoded), values);

    let fails = |arguments: &[&str], input: &[u8]| {
        let mut command = bytelane(arguments);
        failure(command.write_stdin(input))
    };
    let message = fails(&["encode", "alp:type=f64,vector=1000"], &values);
    assert!(
        message.contains("a power of two from 8 to 32768"),
        "{message}"
    );
    let longer = [&encoded[..], b"more"].concat();
    let message = fails(&["decode", "alp:type=f64"], &longer);
    assert!(
        message.contains("4 bytes follow the last value"),
        "{message}"
    );
}
