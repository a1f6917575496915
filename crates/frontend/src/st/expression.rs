//! Conditions on a finished program, as texts of users and witnesses have them.

pub use super::lower::condition;
