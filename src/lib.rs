//! impinge.
