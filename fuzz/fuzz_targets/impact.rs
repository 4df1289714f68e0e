//! `cargo fuzz run impact`: see `impinge_fuzz::drawn::impact`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| impinge_fuzz::run(impinge_fuzz::drawn::impact, bytes));
