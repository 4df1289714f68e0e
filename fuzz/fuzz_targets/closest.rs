//! `cargo fuzz run closest`: see `impinge_fuzz::closest`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| impinge_fuzz::run(impinge_fuzz::closest, bytes));
