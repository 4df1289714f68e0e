use super::*;
use crate::exact::ExactVec3;

/// Numbers that are the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u32::try_from(((self.0 >> 32) * u64::from(n)) >> 32).unwrap()
    }

    /// On a lattice, or anywhere, with a step that is a power of two or is rounded.
    fn vector(&mut self, step: f32, lattice: bool) -> Vec3 {
        let mut coordinate = || {
            let whole = self.below(7) as f32 - 3.0;
            let part = if lattice { 0.0 } else { self.below(1 << 20) as f32 / 1_048_576.0 };
            (whole + part) * step
        };
        Vec3::new(coordinate(), coordinate(), coordinate())
    }
}

/// The lowest of some places, looked at one by one.
fn lowest(places: &[Place], direction: &Direction<'_>) -> Extreme {
    let near: Vec<DVec3> = places
        .iter()
        .map(|place| DVec3::from_array(place.exact().0.each_ref().map(Exact::to_f64)))
        .collect();
    let size = near.iter().fold(0.0_f64, |most, v| most.max(v.abs().element_sum()));
    direction.extreme(false, &near, size * f64::EPSILON, |k| places[k].clone())
}

#[test]
fn numbers_that_know_what_was_rounded_say_what_exact_ones_say() {
    let (mut said, mut told, mut open) = ([0; 3], 0, 0);
    for seed in 0..20_000 {
        let mut draw = Draw(seed);
        let lattice = seed % 3 != 0;
        let step = [1.0, 0.3, 1e-3][draw.below(3) as usize];
        // As the differences of two bodies that are turned: times a number of many digits.
        let norm = Exact::from(if seed % 2 == 0 { 1.0 } else { 1.0 + 2.0_f64.powi(-45) });
        let flat = draw.below(3);
        let count = 1 + draw.below(9);
        let places: Vec<Place> = (0..count)
            .map(|_| {
                let v = draw.vector(step, lattice);
                let v = if flat == 0 { Vec3::new(v.x, v.y.abs(), v.z) } else { v };
                let v = if flat == 1 { Vec3::new(v.x, 0.0, v.z) } else { v };
                ExactVec3::from(v).scale(&norm).into()
            })
            .collect();
        let radius = if draw.below(2) == 0 { 0.0 } else { draw.below(4) as f32 * step };
        let reach = Exact::from(radius).times(&norm);
        let first = [DVec3::ZERO, DVec3::Y, DVec3::new(1e-17, 1.0, 0.3), DVec3::NAN];
        let first = first[draw.below(4) as usize];
        let least = |direction: &Direction<'_>| lowest(&places, direction);
        let exact = Set { least, first: DVec3::X }.compare::<Exact>(&reach).unwrap();
        assert_eq!(compare_distance(least, first, &reach), exact, "seed {seed}: {places:?}");
        let known = Set { least, first: DVec3::X }.compare::<Tracked>(&reach);
        assert!(known.is_none_or(|known| known == exact), "seed {seed}: {known:?} {exact:?}");
        said[match exact {
            Ordering::Less => 0,
            Ordering::Equal => 1,
            Ordering::Greater => 2,
        }] += 1;
        told += u32::from(known.is_some());
        open += u32::from(known.is_none());
    }
    assert!(said.iter().all(|&count| count > 2_000), "{said:?}");
    assert!(told > 10_000 && open > 1_000, "{told} {open}");
}

#[test]
fn nearest_points_of_simplices_are_those_of_exact_numbers() {
    let mut kept = [0; 5];
    for seed in 0..4_000 {
        let mut draw = Draw(seed);
        let step = [1.0, 0.3][draw.below(2) as usize];
        let lattice = seed % 2 == 0;
        // Two points, of which the last lies less far along the first.
        let one = draw.vector(step, lattice);
        let mut points = vec![one];
        let other = draw.vector(step, lattice);
        if one.dot(other - one) < 0.0 {
            points.push(other);
        }
        let places: Vec<Place> = points.iter().map(|&v| v.into()).collect();
        let nearest = Nearest::of(&places);
        // In f64 by Ericson, Real-Time Collision Detection (2005), section 5.1.2.
        let (a, b) = (one.as_dvec3(), points[points.len() - 1].as_dvec3());
        let along = b - a;
        let share = if points.len() == 2 { -a.dot(along) / along.length_squared() } else { 0.0 };
        let expected = (a + along * share.clamp(0.0, 1.0)).length();
        let error = 1e-14 * (a.length() + b.length());
        assert!((nearest.distance() - expected).abs() <= error, "seed {seed}: {points:?}");
        let height = nearest.direction().normalize_or_zero().dot(b);
        let is_near = expected <= error || (height - expected).abs() <= 2.0 * error / expected;
        assert!(is_near || nearest.kept().len() < 2, "seed {seed}: {points:?} {nearest:?}");
        kept[nearest.kept().len()] += 1;
    }
    assert!(kept[1] > 500 && kept[2] > 500, "{kept:?}");
}
