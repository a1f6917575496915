//! Layer 5: what a user sees. Plain data in, text or JSON out; renderers ask nothing back.
//!
//! [`place`] names places of the source; [`check`], [`replay`], [`verify`], [`minimize`], [`explain`], [`localize`] and [`witness`] are the reports of those commands (their fields are
//! the JSON contract); [`failure`] is what commands after a failure have in common, [`fold`] finds what a reader of a long run can do without,
//! [`terminal`] draws.

pub mod check;
pub mod explain;
pub mod failure;
mod fold;
pub mod localize;
pub mod minimize;
pub mod place;
pub mod replay;
pub mod terminal;
pub mod verify;
pub mod witness;

pub use place::PlaceView;
