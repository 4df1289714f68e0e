//! `cargo fuzz run sweep`: see `impinge_fuzz::sweep`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| impinge_fuzz::run(impinge_fuzz::sweep, bytes));
