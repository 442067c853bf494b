//! Typed values to the bytes of wire and file formats and back.
#![no_std]
