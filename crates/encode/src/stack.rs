//! Symbolic execution recurses with the calls and expressions of the program, as deep as this crate allows: that takes a large stack.

const SIZE: usize = 1 << 30;

/// Does work on a thread of its own; a panic there is a panic here.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(SIZE).spawn_scoped(scope, work);
        match thread.expect("a thread can be started").join() {
            Ok(answer) => answer,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
