//! Which token of a preprocessed line came from which token of the original line.

/// A line as the preprocessor left it beside the line that it was made from.
pub struct Alignment {
    read: Vec<(usize, usize)>,
    original: Vec<(usize, usize)>,
    /// For each token of the original line, the token that it became.
    became: Vec<Option<usize>>,
    /// For each token of the original line, whether it is a word, and whether a `(` follows.
    names: Vec<(bool, bool)>,
    /// Bytes of the original line.
    length: usize,
}

impl Alignment {
    /// By a longest common subsequence. `None`: a giant line is not worth its square.
    pub fn new(read: &[u8], original: &[u8]) -> Option<Alignment> {
        let (left, right) = (tokens(read), tokens(original));
        let same = |i: usize, j: usize| read[left[i].0..left[i].1] == original[right[j].0..right[j].1];
        let mut became: Vec<Option<usize>> = vec![None; right.len()];
        let shorter = left.len().min(right.len());
        let first = (0..shorter).take_while(|i| same(*i, *i)).count();
        let last = (1..=shorter - first).take_while(|i| same(left.len() - i, right.len() - i)).count();
        for (j, slot) in became.iter_mut().enumerate() {
            if j < first {
                *slot = Some(j);
            } else if j >= right.len() - last {
                *slot = Some(j + left.len() - right.len());
            }
        }
        let (rows, columns) = (left.len() - first - last, right.len() - first - last);
        if rows * columns > 1 << 20 {
            return None;
        }
        let width = columns + 1;
        let mut longest = vec![0u32; (rows + 1) * width];
        for i in (0..rows).rev() {
            for j in (0..columns).rev() {
                longest[i * width + j] = if same(first + i, first + j) {
                    longest[(i + 1) * width + j + 1] + 1
                } else {
                    longest[(i + 1) * width + j].max(longest[i * width + j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < rows && j < columns {
            if same(first + i, first + j) {
                became[first + j] = Some(first + i);
                (i, j) = (i + 1, j + 1);
            } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
        let starts = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
        let called = |j: usize| right.get(j + 1).is_some_and(|next| original[next.0] == b'(');
        let names = right.iter().enumerate().map(|(j, token)| (starts(original[token.0]), called(j))).collect();
        Some(Alignment { read: left, original: right, became, names, length: original.len() })
    }

    /// Where the token at a byte of the preprocessed line stands in the original line. A token that came out of a macro stands where the
    /// macro's name does.
    pub fn place(&self, at: usize) -> usize {
        let Some(target) = self.read.partition_point(|(start, _)| *start <= at).checked_sub(1) else {
            return at.min(self.length);
        };
        let inside = at - self.read[target].0;
        if let Some(j) = self.became.iter().position(|i| *i == Some(target)) {
            return (self.original[j].0 + inside).min(self.original[j].1);
        }
        // The token came out of a macro. Its name is missing beside the token, or before it when the token stands among the arguments.
        let before = self.became.iter().rposition(|i| i.is_some_and(|i| i < target)).map_or(0, |j| j + 1);
        let after = self.became.iter().position(|i| i.is_some_and(|i| i > target));
        let after = after.unwrap_or(self.original.len()).max(before);
        let is_name = |j: &usize| self.became[*j].is_none() && self.names[*j].0;
        let is_call = |j: &usize| is_name(j) && self.names[*j].1;
        let name = (before..after).find(is_name).or_else(|| (0..before).rev().find(is_call));
        let name = name.or_else(|| (0..before).rev().find(is_name)).unwrap_or(before);
        self.original.get(name).map_or(self.length, |token| token.0)
    }
}

/// The last byte of the use of a macro that begins at a byte of a line: of its name, or of its arguments as far as they are on the line.
pub fn end_of_use(line: &[u8], start: usize) -> usize {
    let tokens = tokens(&line[start..]);
    let is = |index: usize, byte: u8| tokens.get(index).is_some_and(|token| line[start + token.0] == byte);
    let mut last = 0;
    if is(1, b'(') {
        let mut open = 0;
        for index in 1..tokens.len() {
            open += is(index, b'(') as i32 - is(index, b')') as i32;
            last = index;
            if open == 0 {
                break;
            }
        }
    }
    tokens.get(last).map_or(start, |token| start + token.1 - 1)
}

/// Start and end of each token, roughly: words, literals, and single characters of punctuation.
fn tokens(line: &[u8]) -> Vec<(usize, usize)> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let start = at;
        let byte = line[at];
        at += 1;
        if byte.is_ascii_whitespace() {
            continue;
        }
        // A comment becomes a space, unless it is an annotation.
        if byte == b'/' && matches!(line.get(at), Some(b'/' | b'*')) && line.get(at + 1) != Some(&b'@') {
            let rest = &line[at + 1..];
            let end = rest.windows(2).position(|pair| pair == b"*/").filter(|_| line[at] == b'*');
            at = end.map_or(line.len(), |end| at + 1 + end + 2);
            continue;
        }
        if word(byte) {
            while at < line.len() && word(line[at]) {
                at += 1;
            }
        } else if byte == b'"' || byte == b'\'' {
            while at < line.len() && line[at] != byte {
                at += if line[at] == b'\\' { 2 } else { 1 };
            }
            at = (at + 1).min(line.len());
        }
        tokens.push((start, at));
    }
    tokens
}
