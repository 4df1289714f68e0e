//! Reads the fields of a JSON object, and says by path what is wrong with them.

use std::fmt;

use impinge::glam::{Quat, Vec3};
use impinge::{Pose, PoseError};

use super::json::{Json, quote};

/// What is wrong with a scene or a query, as the answer's `error` says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem(String);

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Problem {
    /// `bodies[1].shape: message`, or the bare message for an empty path.
    pub(crate) fn at(path: &str, message: impl fmt::Display) -> Self {
        if path.is_empty() { Self(message.to_string()) } else { Self(format!("{path}: {message}")) }
    }

    /// The error of a constructor, which names the field itself, below the object at `path`.
    pub(crate) fn of(path: &str, error: &impl fmt::Display) -> Self {
        Self(join(path, &error.to_string()))
    }
}

/// The path of something named `name` inside the object at `path`.
pub(crate) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The fields of one object; each is asked for once, and what nobody asked for is an error.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    path: String,
    entries: &'a [(String, Json)],
    known: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The fields of the object at `path`.
    pub(crate) fn new(json: &'a Json, path: &str) -> Result<Self, Problem> {
        match json {
            Json::Object(entries) => Ok(Self { path: path.to_owned(), entries, known: Vec::new() }),
            other => Err(Problem::at(path, format!("must be an object, got {}", other.quoted()))),
        }
    }

    /// Where the object lies in the scene, empty for a query.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The path of a field.
    pub(crate) fn path_of(&self, name: &str) -> String {
        join(&self.path, name)
    }

    /// A field, if it is there.
    pub(crate) fn optional(&mut self, name: &'static str) -> Option<&'a Json> {
        self.known.push(name);
        self.entries.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// A field that must be there.
    pub(crate) fn required(&mut self, name: &'static str) -> Result<&'a Json, Problem> {
        let path = self.path_of(name);
        self.optional(name).ok_or_else(|| Problem::at(&path, "is missing"))
    }

    /// Whether a field is there, without asking for it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|(key, _)| key == name)
    }

    /// Refuses fields that nobody asked for.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        match self.entries.iter().find(|(key, _)| !self.known.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, _)) => Err(Problem::at(&self.path, format!("unknown field {}", quote(key)))),
        }
    }

    pub(crate) fn text(&mut self, name: &'static str) -> Result<&'a str, Problem> {
        let path = self.path_of(name);
        text(self.required(name)?, &path)
    }

    pub(crate) fn text_or(
        &mut self,
        name: &'static str,
        default: &'static str,
    ) -> Result<&'a str, Problem> {
        let path = self.path_of(name);
        self.optional(name).map_or(Ok(default), |json| text(json, &path))
    }

    /// A flag, false if it is left out.
    pub(crate) fn flag(&mut self, name: &'static str) -> Result<bool, Problem> {
        let path = self.path_of(name);
        match self.optional(name) {
            None => Ok(false),
            Some(Json::Bool(value)) => Ok(*value),
            Some(other) => {
                Err(Problem::at(&path, format!("must be true or false, got {}", other.quoted())))
            }
        }
    }

    pub(crate) fn number(&mut self, name: &'static str) -> Result<f32, Problem> {
        let path = self.path_of(name);
        number(self.required(name)?, &path)
    }

    /// A number of things.
    pub(crate) fn whole(&mut self, name: &'static str) -> Result<usize, Problem> {
        let path = self.path_of(name);
        whole(self.required(name)?, &path)
    }

    pub(crate) fn number_or(&mut self, name: &'static str, default: f32) -> Result<f32, Problem> {
        let path = self.path_of(name);
        self.optional(name).map_or(Ok(default), |json| number(json, &path))
    }

    pub(crate) fn vector(&mut self, name: &'static str) -> Result<Vec3, Problem> {
        let path = self.path_of(name);
        numbers(self.required(name)?, &path).map(Vec3::from_array)
    }

    /// `position` and `rotation`, both of which may be left out.
    pub(crate) fn pose(&mut self) -> Result<Pose, Problem> {
        let path = self.path_of("position");
        let position = match self.optional("position") {
            Some(json) => Vec3::from_array(numbers(json, &path)?),
            None => Vec3::ZERO,
        };
        let path = self.path_of("rotation");
        let rotation = match self.optional("rotation") {
            Some(json) => Quat::from_array(numbers(json, &path)?),
            None => Quat::IDENTITY,
        };
        Pose::new(position, rotation).map_err(|error: PoseError| Problem::of(&self.path, &error))
    }
}

/// The items of a list.
pub(crate) fn list<'a>(json: &'a Json, path: &str) -> Result<&'a [Json], Problem> {
    match json {
        Json::List(items) => Ok(items),
        other => Err(Problem::at(path, format!("must be a list, got {}", other.quoted()))),
    }
}

/// A string.
pub(crate) fn text<'a>(json: &'a Json, path: &str) -> Result<&'a str, Problem> {
    match json {
        Json::Text(text) => Ok(text),
        other => Err(Problem::at(path, format!("must be a string, got {}", other.quoted()))),
    }
}

/// A number, NaN and infinities included: whether they are allowed is the constructor's to say.
pub(crate) fn number(json: &Json, path: &str) -> Result<f32, Problem> {
    let value = match json {
        Json::Number(value) => *value,
        Json::Null => f64::NAN,
        Json::Text(text) => match text.as_str() {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => return Err(Problem::at(path, format!("must be a number, got {}", quote(text)))),
        },
        other => {
            return Err(Problem::at(path, format!("must be a number, got {}", other.quoted())));
        }
    };
    Ok(round_once(value))
}

/// A whole number that is not negative, and below 2^53.
pub(crate) fn whole(json: &Json, path: &str) -> Result<usize, Problem> {
    let Json::Number(value) = json else {
        return Err(Problem::at(path, format!("must be a number, got {}", json.quoted())));
    };
    if *value < 0.0 || value.fract().abs() > 0.0 {
        let message = format!("must be a whole number that is not negative, got {value}");
        return Err(Problem::at(path, message));
    }
    // Beyond 2^53 not every whole number is an f64; no index and no count comes near.
    if *value >= 9_007_199_254_740_992.0 {
        // With an exponent, because the digits that were given are not known any more.
        return Err(Problem::at(path, format!("must be below 2^53, got {value:e}")));
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and small enough")]
    #[expect(clippy::cast_sign_loss, reason = "not negative")]
    let count = *value as usize;
    Ok(count)
}

/// A list of exactly `N` numbers.
pub(crate) fn numbers<const N: usize>(json: &Json, path: &str) -> Result<[f32; N], Problem> {
    let items = list(json, path)?;
    if items.len() != N {
        return Err(Problem::at(path, format!("must be {N} numbers, got {}", items.len())));
    }
    let mut array = [0.0; N];
    for (i, item) in items.iter().enumerate() {
        array[i] = number(item, &format!("{path}[{i}]"))?;
    }
    Ok(array)
}

/// Nearest f32; beyond the largest one it is infinite, hence refused rather than clamped.
fn round_once(value: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the one rounding of a scene's numbers")]
    let rounded = value as f32;
    rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Json {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn numbers_round_once_and_never_clamp() {
        // Above the midpoint of 1 and the next f32 by less than an f64 can hold: the f64 is the
        // midpoint, which goes to even.
        let value = parse("1.000000059604644775390626");
        assert_eq!(number(&value, "").unwrap().to_bits(), 1.0_f32.to_bits());
        assert!(number(&parse("1e39"), "").unwrap().is_infinite());
        assert!(number(&parse("null"), "").unwrap().is_nan());
        assert!(number(&parse("\"-Infinity\""), "").unwrap() < f32::MIN);
        assert_eq!(number(&parse("18446744073709551615"), "").unwrap().to_bits(), 0x5f80_0000);
        let error = number(&parse("\"inf\""), "bodies[0].shape.radius").unwrap_err();
        assert_eq!(error.to_string(), "bodies[0].shape.radius: must be a number, got \"inf\"");
    }

    /// They were told to be whole and not negative, which they are.
    #[test]
    fn whole_numbers_that_are_too_large_are_told_so() {
        let told = |text: &str| whole(&parse(text), "rows").map_err(|error| error.to_string());
        assert_eq!(told("9007199254740991"), Ok(9_007_199_254_740_991));
        assert_eq!(told("-0.0"), Ok(0));
        for (large, got) in [
            ("9007199254740992", "9.007199254740992e15"),
            ("18446744073709551615", "1.8446744073709552e19"),
            ("1e300", "1e300"),
        ] {
            assert_eq!(told(large), Err(format!("rows: must be below 2^53, got {got}")));
        }
        for bad in ["-1", "0.5", "-1e300"] {
            let message = told(bad).unwrap_err();
            assert!(message.starts_with("rows: must be a whole number that is not"), "{message}");
        }
    }

    #[test]
    fn unread_fields_are_named() {
        let json = parse(r#"{"id":"a","colour":1}"#);
        let mut fields = Fields::new(&json, "bodies[0]").unwrap();
        assert_eq!(fields.text("id").unwrap(), "a");
        assert_eq!(fields.number("size").unwrap_err().to_string(), "bodies[0].size: is missing");
        let error = fields.finish().unwrap_err();
        assert_eq!(error.to_string(), "bodies[0]: unknown field \"colour\"");
    }

    #[test]
    fn a_field_given_twice_is_refused() {
        let error = serde_json::from_str::<Json>(r#"{"a":1,"b":2,"a":3}"#).unwrap_err();
        assert!(error.to_string().contains("field \"a\" given twice"), "{error}");
    }
}
