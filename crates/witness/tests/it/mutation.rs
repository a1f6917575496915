//! Witnesses with pieces of their texts changed, left out and put in.

use std::path::PathBuf;
use testkit::random::Random;
use witness::{Limits, lint, read};

/// Changes texts of files at random, so many times the scale of `WHYDUNIT_FUZZ_SCALE`: there are findings, and no panic.
pub fn never_panics(files: &[PathBuf], rounds: u64) {
    let scale: u64 = std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut texts: Vec<Vec<u8>> = files.iter().map(|path| std::fs::read(path).expect("it can be read")).collect();
    texts.retain(|text| text.len() < 20_000);
    assert!(!texts.is_empty(), "there are small witnesses");
    let mut random = Random::new(7);
    for _ in 0..rounds * scale {
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..=random.below(6) {
            mutate(&mut text, &mut random);
        }
        for finding in lint::lint(&text, None, &Limits::default()) {
            assert!(!finding.message.is_empty());
        }
        if let Some(witness) = read(&text, &Limits::default()).witness {
            let _ = witness::write(&witness);
            let _ = witness::show::text(&witness);
        }
    }
}

pub fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    if text.is_empty() {
        return;
    }
    let at = random.below(text.len());
    match random.below(6) {
        0 => text[at] = random.below(256) as u8,
        1 => text.truncate(at),
        2 => {
            let end = (at + random.below(40)).min(text.len());
            text.drain(at..end);
        }
        3 => {
            let end = (at + random.below(200)).min(text.len());
            let piece = text[at..end].to_vec();
            text.splice(at..at, piece);
        }
        4 => {
            let pieces: &[&[u8]] = &[
                b"&",
                b"<",
                b"<![CDATA[",
                b"]]>",
                b"&#0;",
                b": ",
                b"- ",
                b"*x",
                b"&x ",
                b"\t",
                b"\"",
                b"{",
                b"[",
                b"|\n",
                b"\xff",
            ];
            let piece = pieces[random.below(pieces.len())];
            text.splice(at..at, piece.iter().copied());
        }
        _ => text.swap(at, 0),
    }
}
