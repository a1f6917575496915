//! Text inside XML and HTML.

/// Text for elements and attributes of XML, which has no other control characters than tabs and line breaks.
pub fn xml(text: &str) -> String {
    escaped(text, |letter, out| match letter {
        '\n' | '\t' => out.push(letter),
        letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => out.push(' '),
        letter => out.push(letter),
    })
}

/// Text for elements and attributes of HTML. What would reorder the text around it, or cannot be seen, is shown by its number.
pub fn html(text: &str) -> String {
    escaped(text, |letter, out| match letter {
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{61c}' | '\u{feff}' => {
            out.push_str(&format!("\\u{{{:x}}}", letter as u32));
        }
        _ if letter.is_control() => out.push_str(&format!("\\u{{{:x}}}", letter as u32)),
        _ => out.push(letter),
    })
}

/// What both languages take for markup is written as an entity; `other` writes the rest.
fn escaped(text: &str, other: impl Fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter => other(letter, &mut out),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn markup_and_control_characters_do_no_harm() {
        assert_eq!(super::xml("<a b=\"&\">\n\u{1}"), "&lt;a b=&quot;&amp;&quot;&gt;\n ");
        assert_eq!(super::html("a\u{202e}b\u{7}"), "a\\u{202e}b\\u{7}");
    }
}
