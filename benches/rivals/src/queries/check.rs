//! Whether the contenders answer alike.

use impinge_narrowphase::{self as narrow, SweepOptions};
use impinge_shapes::RayOptions;
use impinge_testkit::scenes::SceneBody;

use super::{Answers, Kind, Questions};

/// Distances that differ by less count as equal.
const TOLERANCE: f32 = 1e-3;

/// Distances that differ by more than this are counted apart: a cast that stops a little before or
/// behind the surface is nearer.
const FAR: f32 = 1e-2;

/// How many questions are also put to every single body.
const SAMPLE: usize = 100;

/// In what each contender's answers differ from the first one's, in the order of the contenders;
/// for the first one, in what a sample differs from a search through all bodies.
pub(super) fn compare(questions: &Questions, answers: &[Answers]) -> Vec<String> {
    let start = |answers: &Answers| match answers {
        Answers::First(hits) => Answers::First(hits[..SAMPLE.min(hits.len())].to_vec()),
        Answers::Any(found) => Answers::Any(found[..SAMPLE.min(found.len())].to_vec()),
        Answers::All(found) => {
            let sampled = found.iter().filter(|(question, _)| (*question as usize) < SAMPLE);
            Answers::All(sampled.copied().collect())
        }
    };
    let mut remarks: Vec<String> =
        answers.iter().map(|answer| difference(&answers[0], answer)).collect();
    remarks[0] = difference(&naive(questions), &start(&answers[0]));
    remarks
}

/// The answers to the first questions, from a search through all bodies.
fn naive(questions: &Questions) -> Answers {
    let bodies = &questions.scene.bodies;
    let nearest = |distance: &dyn Fn(&SceneBody) -> Option<f32>| {
        let hits = (0..).zip(bodies).filter_map(|(id, body)| Some((id, distance(body)?)));
        hits.min_by(|a, b| a.1.total_cmp(&b.1))
    };
    if questions.kind == Kind::Builds {
        return Answers::All((0..).take(bodies.len()).map(|id| (0, id)).collect());
    }
    if questions.kind == Kind::AllRays {
        return all(&questions.rays, bodies, |case, body| {
            let options = RayOptions::default();
            body.shape.raycast(&body.pose, &case.ray, case.max_distance, &options).is_some()
        });
    }
    if !questions.rays.is_empty() {
        let first = questions.rays.iter().take(SAMPLE).map(|case| {
            let options = RayOptions::default();
            nearest(&|body| {
                let hit = body.shape.raycast(&body.pose, &case.ray, case.max_distance, &options)?;
                Some(hit.distance)
            })
        });
        if questions.kind == Kind::AnyRays {
            return Answers::Any(first.map(|first| first.is_some()).collect());
        }
        return Answers::First(first.collect());
    }
    if !questions.sweeps.is_empty() {
        let options = SweepOptions::default();
        let first = questions.sweeps.iter().take(SAMPLE).map(|case| {
            let (shape, pose, way) = (&case.shape, &case.pose, case.displacement);
            nearest(&|body| {
                let hit = narrow::sweep(shape, pose, way, &body.shape, &body.pose, &options)?;
                Some(hit.distance)
            })
        });
        return Answers::First(first.collect());
    }
    all(&questions.overlaps, bodies, |case, body| {
        narrow::overlaps(&case.shape, &case.pose, &body.shape, &body.pose)
    })
}

/// The bodies that the first questions meet.
fn all<Q>(
    questions: &[Q],
    bodies: &[SceneBody],
    meets: impl Fn(&Q, &SceneBody) -> bool,
) -> Answers {
    let mut found = Vec::new();
    for (number, question) in (0..).zip(questions.iter().take(SAMPLE)) {
        let met = (0..).zip(bodies).filter(|(_, body)| meets(question, body));
        found.extend(met.map(|(id, _)| (number, id)));
    }
    Answers::All(found)
}

fn difference(reference: &Answers, answers: &Answers) -> String {
    match (reference, answers) {
        (Answers::First(reference), Answers::First(hits)) => first(reference, hits),
        (Answers::Any(reference), Answers::Any(found)) => {
            let count = |truth: bool| {
                let both = reference.iter().zip(found);
                both.filter(|&(&expected, &found)| expected == truth && found != truth).count()
            };
            let (missed, invented) = (count(true), count(false));
            if missed + invented == 0 {
                return String::new();
            }
            let count = reference.len();
            format!("of {count} {missed} missed, {invented} hit where nothing is")
        }
        (Answers::All(reference), Answers::All(found)) => {
            let absent = |from: &[(u32, u32)], these: &[(u32, u32)]| {
                these.iter().filter(|pair| from.binary_search(pair).is_err()).count()
            };
            let (missing, surplus) = (absent(found, reference), absent(reference, found));
            if missing + surplus == 0 && found.len() == reference.len() {
                return String::new();
            }
            format!("of {} {missing} missing, {surplus} too many", reference.len())
        }
        _ => "answers another question".to_owned(),
    }
}

fn first(reference: &[Option<(u32, f32)>], hits: &[Option<(u32, f32)>]) -> String {
    let (mut missed, mut invented, mut off, mut far, mut worst) = (0, 0, 0, 0, 0.0_f32);
    for (expected, hit) in reference.iter().zip(hits) {
        match (expected, hit) {
            (Some(_), None) => missed += 1,
            (None, Some(_)) => invented += 1,
            (Some((_, expected)), Some((_, distance))) => {
                let error = (distance - expected).abs();
                if error > TOLERANCE || error.is_nan() {
                    off += 1;
                    far += u32::from(error > FAR);
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
         {TOLERANCE}, {far} by more than {FAR} (up to {worst:.4})",
        reference.len()
    )
}
