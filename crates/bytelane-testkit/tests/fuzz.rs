//! The seed inputs of the fuzz targets, without a fuzzer.

use bytelane_testkit::fuzz::{decoder, decoder_seeds, encoder, encoder_seeds};

#[test]
fn the_seeds_pass() {
    let seeds = decoder_seeds();
    assert!(seeds.len() > 50);
    seeds.iter().for_each(|seed| decoder(seed));
    encoder_seeds().iter().for_each(|seed| encoder(seed));
}

#[test]
fn inputs_without_a_whole_header_pass() {
    for input in [&[][..], &[0], &[1, 0], &[1, 0, 200], &[255, 255, 255]] {
        decoder(input);
        encoder(input);
    }
}
