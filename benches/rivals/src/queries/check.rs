//! Whether the contenders answer alike.

use super::{Answers, Questions};

/// Distances that differ by less count as equal.
const TOLERANCE: f32 = 1e-3;

/// In what each contender's answers differ from the first one's, in the order of the contenders.
pub(super) fn compare(_questions: &Questions, answers: &[Answers]) -> Vec<String> {
    answers.iter().map(|answer| difference(&answers[0], answer)).collect()
}

fn difference(reference: &Answers, answers: &Answers) -> String {
    match (reference, answers) {
        (Answers::First(reference), Answers::First(hits)) => first(reference, hits),
        (Answers::All(reference), Answers::All(found)) => {
            let absent = |from: &[(u32, u32)], these: &[(u32, u32)]| {
                these.iter().filter(|pair| from.binary_search(pair).is_err()).count()
            };
            let (missing, surplus) = (absent(found, reference), absent(reference, found));
            if missing + surplus == 0 && found.len() == reference.len() {
                return String::new();
            }
            format!("of {} overlaps {missing} missing, {surplus} too many", reference.len())
        }
        _ => "answers another question".to_owned(),
    }
}

fn first(reference: &[Option<(u32, f32)>], hits: &[Option<(u32, f32)>]) -> String {
    let (mut missed, mut invented, mut off, mut worst) = (0, 0, 0, 0.0_f32);
    for (expected, hit) in reference.iter().zip(hits) {
        match (expected, hit) {
            (Some(_), None) => missed += 1,
            (None, Some(_)) => invented += 1,
            (Some((_, expected)), Some((_, distance))) => {
                let error = (distance - expected).abs();
                if error > TOLERANCE || error.is_nan() {
                    off += 1;
                    worst = worst.max(error);
                }
            }
            (None, None) => {}
        }
    }
    if missed + invented + off == 0 {
        return String::new();
    }
    format!(
        "of {} {missed} missed, {invented} hit where nothing is, {off} off by more than \
         {TOLERANCE} (up to {worst:.4})",
        reference.len()
    )
}
