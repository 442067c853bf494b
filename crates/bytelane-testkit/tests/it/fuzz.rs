//! Runs the seed inputs of the fuzz targets, without a fuzzer.

use bytelane_testkit::fuzz::{decoder, decoder_seeds, encoder, encoder_seeds, kept, lines_of};
use bytelane_testkit::{alp, cursor, fsst, validity};

#[test]
fn the_seeds_pass() {
    let seeds = decoder_seeds();
    assert!(seeds.len() > 50);
    seeds.iter().for_each(|seed| decoder(seed));
    encoder_seeds().iter().for_each(|seed| encoder(seed));
    let seeds = validity::seeds();
    assert!(seeds.len() > 50);
    seeds.iter().for_each(|seed| validity::run(seed));
    let seeds = alp::seeds();
    assert!(seeds.len() > 50);
    seeds.iter().for_each(|seed| alp::run(seed));
    let seeds = fsst::seeds();
    assert!(seeds.len() > 50);
    seeds.iter().for_each(|seed| fsst::run(seed));
}

/// Runs inputs that the fuzzers once found, one for each bug that was fixed.
#[test]
fn the_kept_inputs_pass() {
    type Target = fn(&[u8]);
    let files: [(&str, Target); 3] = [
        (
            include_str!("../../../../testdata/fuzz/cursor.txt"),
            cursor::run,
        ),
        (
            include_str!("../../../../testdata/fuzz/decoder.txt"),
            decoder,
        ),
        (
            include_str!("../../../../testdata/fuzz/encoder.txt"),
            encoder,
        ),
    ];
    for (lines, target) in files {
        let inputs = kept(lines);
        assert!(inputs.len() > 50);
        inputs.iter().for_each(|input| target(input));
        assert_eq!(lines_of(inputs), lines);
    }
}

#[test]
fn inputs_without_a_whole_header_pass() {
    for input in [&[][..], &[0], &[1, 0], &[1, 0, 200], &[255, 255, 255]] {
        decoder(input);
        encoder(input);
        validity::run(input);
        alp::run(input);
        fsst::run(input);
    }
}
