//! Tests the memory use of streams.

use bytelane::Backend;
use bytelane_catalog::CODECS;
use peak_alloc::PeakAlloc;
use std::io::{self, Read};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MIB: usize = 1 << 20;

/// Returns the peak memory use of `run`.
fn peak(run: impl FnOnce()) -> usize {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    run();
    MEMORY.peak_usage().saturating_sub(before)
}

/// Tests every codec that has blocks, including any added later. The inputs are zeros, which are
/// valid values in any format: control bytes of zeros announce at most one byte per value.
#[test]
fn blocks_bound_the_memory_of_streams() {
    const LENGTH: usize = 64 * MIB;
    let mut seen = 0;
    for entry in CODECS {
        let has = |name| {
            entry
                .parameters
                .iter()
                .any(|parameter| parameter.name == name)
        };
        if !has("block") {
            continue;
        }
        for block in [1, 1000, 65_536] {
            let mut parameters = format!("block={block}");
            if has("width") {
                parameters += ",width=8";
            }
            let codec = entry.open(&parameters).unwrap();
            let name = format!("{}:{parameters}", entry.name);
            let mut encoded = CountedSink(0);
            let encoding = peak(|| {
                let mut values = io::repeat(0).take(LENGTH as u64);
                let result = codec.encode_stream(Backend::active(), &mut values, &mut encoded);
                result.unwrap();
            });
            assert!(encoding < 4 * MIB, "{name}: {encoding} bytes to encode");
            if has("count") {
                parameters += &format!(",count={}", LENGTH / codec.width());
            }
            let codec = entry.open(&parameters).unwrap();
            let mut decoded = CountedSink(0);
            let decoding = peak(|| {
                let mut bytes = io::repeat(0).take(encoded.0);
                let result = codec.decode_stream(Backend::active(), &mut bytes, &mut decoded);
                result.unwrap();
            });
            assert_eq!(decoded.0, LENGTH as u64, "{name}");
            assert!(decoding < 4 * MIB, "{name}: {decoding} bytes to decode");
            seen += 1;
        }
    }
    assert!(seen > 3, "no codec has blocks");
}

/// Counts the bytes written to it.
struct CountedSink(u64);

impl io::Write for CountedSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
