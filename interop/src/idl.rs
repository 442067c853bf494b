//! Code that the build script generates from the IDL.
#![allow(dead_code, reason = "each program uses its part")]

include!(concat!(env!("OUT_DIR"), "/mod.rs"));
