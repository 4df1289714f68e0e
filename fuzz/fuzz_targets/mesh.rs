//! `cargo fuzz run mesh`: see `impinge_fuzz::mesh`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| impinge_fuzz::run(impinge_fuzz::mesh, bytes));
