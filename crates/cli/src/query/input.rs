//! Takes an input apart into scenes: one JSON value, or JSON Lines.

use super::json::Json;

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What the bytes of an input are.
#[derive(Debug)]
pub(crate) enum Input<'a> {
    /// The whole is one scene, or cannot be read.
    One(Result<Json, String>),
    /// A scene a line.
    Lines(&'a [u8]),
}

impl<'a> Input<'a> {
    /// Tells the two apart.
    ///
    /// An input is JSON Lines if the caller knows so; else if it is not one JSON value, but some
    /// line of it is an object with `bodies` or `queries`. A line with such fields does not occur
    /// inside a scene that is spread over lines, so a typing error there is reported as such.
    ///
    /// A byte order mark at the start is skipped, as RFC 8259, section 8.1, allows: some editors
    /// write one unasked.
    pub(crate) fn new(bytes: &'a [u8], known_lines: bool) -> Self {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        if known_lines {
            return Self::Lines(bytes);
        }
        match serde_json::from_slice(bytes) {
            Ok(json) => Self::One(Ok(json)),
            Err(_) if lines(bytes).any(|(_, line)| is_scene(line)) => Self::Lines(bytes),
            Err(error) => {
                let place = format!("line {} column {}", error.line(), error.column());
                Self::One(Err(malformed(&error, &place)))
            }
        }
    }
}

/// The lines that are not blank, each with its number from 0.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    bytes
        .split(|&byte| byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace))
}

/// One line of JSON Lines.
pub(crate) fn parse_line(line: &[u8]) -> Result<Json, String> {
    serde_json::from_slice(line)
        .map_err(|error| malformed(&error, &format!("column {}", error.column())))
}

fn is_scene(line: &[u8]) -> bool {
    serde_json::from_slice::<Json>(line)
        .is_ok_and(|json| json.field("bodies").is_some() || json.field("queries").is_some())
}

/// The parser's message with the place said our way: in JSON Lines its line is always 1.
fn malformed(error: &serde_json::Error, place: &str) -> String {
    let text = error.to_string();
    let parsers_place = format!(" at line {} column {}", error.line(), error.column());
    format!("malformed JSON: {} at {place}", text.strip_suffix(&parsers_place).unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &[u8] = b"{\"bodies\":[]}\n\n{bad\n";

    #[test]
    fn lines_are_told_from_one_scene() {
        assert!(matches!(Input::new(LINES, false), Input::Lines(_)));
        assert!(matches!(Input::new(b"{\"bodies\":[]}\n", false), Input::One(Ok(_))));
        assert!(matches!(Input::new(b"{\"bodies\":[]}\n", true), Input::Lines(_)));
        let spread = b"{\"bodies\":[\n{\"id\":\"a\"}\n{\"id\":\"b\"}\n]}";
        let Input::One(Err(message)) = Input::new(spread, false) else { panic!("taken for lines") };
        assert_eq!(message, "malformed JSON: expected `,` or `]` at line 3 column 1");
    }

    /// It was malformed JSON.
    #[test]
    fn a_byte_order_mark_at_the_start_is_skipped() {
        let marked = |text: &[u8]| [BYTE_ORDER_MARK, text].concat();
        assert!(matches!(Input::new(&marked(b"{\"bodies\":[]}"), false), Input::One(Ok(_))));
        for known in [false, true] {
            let bytes = marked(LINES);
            let Input::Lines(rest) = Input::new(&bytes, known) else { panic!("one scene") };
            assert_eq!(rest, LINES);
        }
        for elsewhere in [marked(&marked(b"{}")), [b"{}", BYTE_ORDER_MARK].concat()] {
            assert!(matches!(Input::new(&elsewhere, false), Input::One(Err(_))));
        }
    }

    #[test]
    fn blank_lines_count_but_hold_no_scene() {
        let numbers: Vec<usize> = lines(LINES).map(|(number, _)| number).collect();
        assert_eq!(numbers, [0, 2]);
        let message = parse_line(b"{bad").unwrap_err();
        assert_eq!(message, "malformed JSON: key must be a string at column 2");
    }
}
