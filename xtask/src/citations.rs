//! Checks that docs/papers.md lists each paper that a comment cites as "Author 2005", "Author and Other 2005" or "Author et al. 2005".

use crate::root;
use anyhow::{Context, Result};
use testkit::project::files_below;

/// Words before a number that is no year.
const PREPOSITIONS: &[&str] = &["After", "Before", "Between", "From", "In", "Since", "Until"];

pub fn check(problems: &mut Vec<String>) -> Result<()> {
    let papers = std::fs::read_to_string(root().join("docs/papers.md")).context("docs/papers.md is missing")?;
    for file in ["crates", "xtask"].iter().flat_map(|folder| files_below(&root().join(folder), &["rs"])) {
        for citation in citations(&std::fs::read_to_string(&file)?) {
            if !papers.contains(&format!("| {citation} ")) {
                problems.push(format!("{} cites {citation}, which docs/papers.md does not list", file.display()));
            }
        }
    }
    Ok(())
}

/// The citations in the comments of a file. A citation may go on in the next line of its comment.
fn citations(text: &str) -> Vec<String> {
    let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
    let comments: Vec<&str> = comments.map(|line| line.trim_start_matches(['/', '!'])).collect();
    let comments = comments.join(" ");
    let words: Vec<&str> = comments.split_whitespace().collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let year = word.trim_end_matches([')', ',', ';', ':', '.']);
        let is_year = year.len() == 4 && (year.starts_with("19") || year.starts_with("20"));
        if !is_year || !year.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let authors = match words[..index] {
            [.., first, "et", "al."] => author(first).map(|name| format!("{name} et al.")),
            [.., first, "and", second] if author(first).is_some() => {
                author(first).zip(author(second)).map(|(first, second)| format!("{first} and {second}"))
            }
            [.., only] => author(only).filter(|name| !PREPOSITIONS.contains(name)).map(str::to_string),
            [] => None,
        };
        found.extend(authors.map(|authors| format!("{authors} {year}")));
    }
    found
}

/// A word that is a name: a capital letter, then letters and hyphens.
fn author(word: &str) -> Option<&str> {
    let name = word.trim_start_matches(['(', '"']);
    let letters = name.chars().all(|letter| letter.is_alphabetic() || letter == '-');
    (letters && name.chars().next().is_some_and(char::is_uppercase) && name.chars().any(char::is_lowercase))
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::citations;

    #[test]
    fn citations_of_comments() {
        let text = "//! Octagons (Miné 2006), as in Groce and\n//! Kroening 2005, section 4; see Ansótegui et al. 2013: x.\nlet year = 1970; // since 1970\n";
        assert_eq!(citations(text), ["Miné 2006", "Groce and Kroening 2005", "Ansótegui et al. 2013"]);
        assert!(citations("/// between 2000 and 2001 steps, C 2002\nfn of_2003() {}").is_empty());
    }
}
