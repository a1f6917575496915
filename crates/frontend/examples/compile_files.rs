//! Compiles files and prints the throughput; for profiling the frontend.
#![allow(clippy::print_stdout)]
fn main() {
    let files: Vec<Vec<u8>> = std::env::args().skip(1).map(|path| std::fs::read(path).expect("readable")).collect();
    let bytes: usize = files.iter().map(Vec::len).sum();
    for _ in 0..8 {
        let start = std::time::Instant::now();
        for text in &files {
            let mut sources = base::SourceMap::new();
            let file = sources.add("x", text.clone()).expect("small");
            let compiled =
                frontend::c::compile(&mut sources, &[file], &frontend::CompileOptions::of(cfa::DataModel::Lp64));
            std::hint::black_box(&compiled.program.edges);
        }
        println!("{:.1} MB/s", bytes as f64 / 1e6 / start.elapsed().as_secs_f64());
    }
}
