//! Work on what lies anywhere in memory, in steps, so that what one step needs is fetched while the
//! steps before it go on elsewhere.

/// A step of three: the first finds nothing in the cache, the second what the first one fetched,
/// and the last all that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    First,
    Second,
    Last,
}

/// Takes the steps for each place of a list, in its order: each `ahead` places after the one before,
/// so that a list of few has all of it fetched at once, and the first are not waited for one by one.
#[inline(always)]
pub(crate) fn in_steps(count: usize, ahead: usize, mut work: impl FnMut(Step, usize)) {
    for turn in 0..count + 2 * ahead {
        if turn < count {
            work(Step::First, turn);
        }
        if let Some(place) = turn.checked_sub(ahead).filter(|&place| place < count) {
            work(Step::Second, place);
        }
        if let Some(place) = turn.checked_sub(2 * ahead) {
            work(Step::Last, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_takes_its_steps_in_order_and_the_last_ones_come_in_order() {
        for count in [0, 1, 3, 4, 5, 40] {
            let (mut taken, mut done) = (vec![Vec::new(); count], Vec::new());
            in_steps(count, 4, |step, place| {
                taken[place].push(step);
                if step == Step::Last {
                    done.push(place);
                }
            });
            assert!(taken.iter().all(|steps| *steps == [Step::First, Step::Second, Step::Last]));
            assert!(done.into_iter().eq(0..count), "{count}");
        }
    }
}
