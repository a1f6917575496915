//! Layer 5: what a user sees. Plain data in, text out; renderers ask nothing back.
//!
//! [`place`] names places of the source; [`check`], [`replay`], [`verify`], [`minimize`], [`explain`], [`localize`], [`test`] and [`witness`] are the
//! reports of those commands (their fields are the JSON contract); [`failure`] is what commands after a failure have in common, [`fold`] finds what a
//! reader of a long run can do without. [`Report`] is any of them, and [`render`] has the table of what makes text of it; [`html`] makes a page of several.

pub mod check;
pub mod cycles;
pub mod entries;
pub mod explain;
pub mod failure;
mod fold;
pub mod html;
pub mod localize;
pub mod minimize;
mod model;
pub mod next;
pub mod patch;
pub mod place;
pub mod render;
pub mod replay;
mod spent;
mod story;
pub mod test;
mod unsupported;
pub mod uri;
mod value;
pub mod verify;
mod viewer;
pub mod witness;

pub use model::{Command, Document, ErrorReport, Report};
pub use place::PlaceView;
pub(crate) use render::terminal;
