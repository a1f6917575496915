//! Witnesses of other tools and our own, as whole files.

#![allow(clippy::print_stderr, reason = "a test without its data says so")]

mod conversion;
mod figures;
mod files;
mod robustness;
mod round_trip;
mod rules_page;
