//! Test cases in the exchange format of Test-Comp: one file for the suite, one for each list of inputs.

use crate::formats::Limits;
use quick_xml::Reader;
use quick_xml::escape::escape;
use quick_xml::events::Event;
use std::fmt::Write;

/// What the file `metadata.xml` says.
pub struct Metadata<'a> {
    pub producer: &'a str,
    /// What the test is to reach.
    pub specification: &'a str,
    pub program_file: &'a str,
    pub program_hash: &'a str,
    pub entry: &'a str,
    pub architecture: &'a str,
    pub time: &'a str,
}

const HEADER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";

pub fn metadata(about: &Metadata<'_>) -> String {
    let mut out = format!(
        "{HEADER}<!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
         \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n<test-metadata>\n"
    );
    for (name, value) in [
        ("sourcecodelang", "C"),
        ("producer", about.producer),
        ("specification", about.specification),
        ("programfile", about.program_file),
        ("programhash", about.program_hash),
        ("entryfunction", about.entry),
        ("architecture", about.architecture),
        ("creationtime", about.time),
    ] {
        let _ = writeln!(out, "  <{name}>{}</{name}>", escape(value));
    }
    out.push_str("</test-metadata>\n");
    out
}

pub struct Input {
    pub value: String,
    /// As C spells it.
    pub ty: String,
}

pub fn write(inputs: &[Input]) -> String {
    let mut out = format!(
        "{HEADER}<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n<testcase>\n"
    );
    for input in inputs {
        let _ = writeln!(out, "  <input type=\"{}\">{}</input>", escape(&input.ty), escape(&input.value));
    }
    out.push_str("</testcase>\n");
    out
}

/// The values of a test case, in order.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Vec<String>, String> {
    if bytes.len() > limits.bytes {
        return Err(format!("{} bytes are more than the limit of {}", bytes.len(), limits.bytes));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "the text is not UTF-8")?;
    let mut reader = Reader::from_str(text);
    let mut values = Vec::new();
    let mut open: Option<String> = None;
    let mut is_case = false;
    loop {
        match reader.read_event().map_err(|error| format!("byte {}: {error}", reader.error_position()))? {
            Event::Start(tag) if tag.name().as_ref() == "testcase" => is_case = true,
            Event::Start(tag) if tag.name().as_ref() == "input" => open = Some(String::new()),
            Event::Empty(tag) if tag.name().as_ref() == "input" => return Err("an input is empty".into()),
            Event::Text(part) => {
                if let Some(value) = &mut open {
                    value.push_str(&part);
                }
            }
            // Numbers need no entities, and none is ever expanded.
            Event::GeneralRef(_) if open.is_some() => return Err("an input is not a number".into()),
            Event::End(tag) if tag.name().as_ref() == "input" => {
                values.extend(open.take().map(|value| value.trim().to_string()));
            }
            Event::Eof => break,
            _ => {}
        }
        if values.len() > limits.elements {
            return Err(format!("there are more inputs than the limit of {}", limits.elements));
        }
    }
    if !is_case {
        return Err("it holds no test case".into());
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let input = |value: &str, ty: &str| Input { value: value.into(), ty: ty.into() };
        let text = write(&[input("-5", "int"), input("1.5", "double")]);
        assert_eq!(read(text.as_bytes(), &Limits::default()), Ok(vec!["-5".to_string(), "1.5".to_string()]));
    }

    #[test]
    fn other_texts_are_refused() {
        let read = |text: &str| read(text.as_bytes(), &Limits::default());
        assert!(read("<test-metadata/>").is_err());
        assert!(read("<testcase><input>1</testcase>").is_err());
        let bomb = "<!DOCTYPE t [<!ENTITY a \"11\">]><testcase><input>&a;&a;</input></testcase>";
        assert!(read(bomb).is_err());
    }
}
