//! Layer 4: what a user sees. Plain data in, text or JSON out; renderers ask nothing back.
//!
//! [`place`] names places of the source, [`check`], [`replay`], [`verify`] and [`witness`] are the reports of those commands (their fields are the JSON
//! contract), [`fold`] finds what a reader of a long run can do without, [`terminal`] draws.

pub mod check;
mod fold;
pub mod place;
pub mod replay;
pub mod terminal;
pub mod verify;
pub mod witness;

pub use place::PlaceView;
