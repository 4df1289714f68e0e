//! `cargo fuzz run batch`: see `impinge_fuzz::drawn::batch`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| impinge_fuzz::run(impinge_fuzz::drawn::batch, bytes));
