//! Files of the IDL: from text to a program whose names are known and which is checked.

pub mod constants;
pub mod cycles;
pub mod defaults;
pub mod lexer;
pub mod load;
pub mod parser;
pub mod program;
pub mod recursion;
pub mod source;
pub mod syntax;
pub mod typed;
pub mod words;
