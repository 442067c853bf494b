//! Files to arrays.

mod alp;
mod alp_files;
mod columns;
mod fsst;
mod long_lists;
mod memory;
mod pages;
mod pages_of_others;
mod parts;
mod pushed;
mod reader;
mod stored;
mod validity;
