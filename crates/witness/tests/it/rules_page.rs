//! The page of the manual that lists the rules is the table of the rules.

use testkit::project::root;
use witness::RULES;

#[test]
fn the_manual_lists_the_rules() {
    let mut page = String::from(
        "# The rules of `whydunit witness lint`\n\n\
        An error makes a witness invalid (exit code 10); a warning does not, unless `--strict` is given. The last rules, from `hash` on, need the program.\n\n\
        | rule | severity | what it demands |\n|---|---|---|\n",
    );
    for rule in RULES {
        page.push_str(&format!("| `{}` | {} | {} |\n", rule.id, rule.severity.name(), rule.text.replace('|', "\\|")));
    }
    let path = root().join("docs/witness-lint.md");
    if std::env::var_os("WHYDUNIT_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the manual can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, page, "WHYDUNIT_BLESS=1 writes the page anew");
}
