//! `cargo fuzz run hull`: see `impinge_fuzz::hull`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| impinge_fuzz::run(impinge_fuzz::hull, bytes));
