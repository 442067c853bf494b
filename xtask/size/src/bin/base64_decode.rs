//! One call of `base64::Engine::decode`.

use bytelane::base64;
use std::hint::black_box;

bytelane_size::program!(
    bytes = [0; 192];
    base64::STANDARD.decode(black_box(&[b'A'; 256]), &mut bytes)
);
