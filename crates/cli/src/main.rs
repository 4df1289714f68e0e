//! The impinge program.

fn main() {}
