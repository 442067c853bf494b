//! One call of `base64::Engine::encode`.

use bytelane::base64;
use std::hint::black_box;

bytelane_size::program!(text = [0; 256]; base64::STANDARD.encode(black_box(&[1; 192]), &mut text));
