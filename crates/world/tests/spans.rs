//! Spans of updates and batches, heard by a subscriber of our own.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::sync::{Arc, Mutex};

use impinge_shapes::{Pose, Shape};
use impinge_world::{Body, Hits, OverlapQuery, World};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Writes down which spans are entered and left.
struct Heard(Arc<Mutex<Vec<String>>>, Mutex<Vec<&'static str>>);

impl Subscriber for Heard {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut names = self.1.lock().unwrap();
        names.push(span.metadata().name());
        Id::from_u64(names.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        let place = usize::try_from(span.into_u64()).unwrap() - 1;
        let name = self.1.lock().unwrap()[place];
        self.0.lock().unwrap().push(format!("+{name}"));
    }

    fn exit(&self, span: &Id) {
        let place = usize::try_from(span.into_u64()).unwrap() - 1;
        let name = self.1.lock().unwrap()[place];
        self.0.lock().unwrap().push(format!("-{name}"));
    }
}

#[test]
fn every_stage_is_a_span_of_its_update() {
    let heard = Arc::default();
    tracing::subscriber::with_default(Heard(Arc::clone(&heard), Mutex::default()), || {
        let mut world = World::new();
        let ball = Shape::sphere(1.0).unwrap();
        world.insert(Body::moving(ball.clone())).unwrap();
        world.update();
        let mut hits = Hits::new();
        world.queries().overlap_batch(&[OverlapQuery::new(&ball, Pose::IDENTITY)], &mut hits);
    });
    let mut expected = vec!["+impinge::update"];
    for stage in ["bounds", "pairs", "contacts", "events"] {
        let name =
            ["+impinge::bounds", "+impinge::pairs", "+impinge::contacts", "+impinge::events"];
        let entered = name.into_iter().find(|name| name.ends_with(stage)).unwrap();
        expected.push(entered);
        expected.push("-");
    }
    expected.extend(["-impinge::update", "+impinge::batch", "-impinge::batch"]);
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), expected.len(), "{heard:?}");
    assert!(heard.iter().zip(&expected).all(|(said, begin)| said.starts_with(begin)), "{heard:?}");
}
