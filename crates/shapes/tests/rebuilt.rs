//! Shapes made again from what they say they are made of, as a saved world is read.

#![expect(clippy::unwrap_used, reason = "a value that cannot be made is a failed test")]

mod common;

use common::Draw;
use glam::{Vec3, vec3};
use impinge_shapes::{ConvexHull, HalfSpace, HeightField, Ray, Sides};

/// A point of a cube of side 2, whose coordinates are seldom short.
fn point_of(draw: &mut Draw) -> Vec3 {
    let mut coordinate = || f32::from(draw.below(u16::MAX)) / 32767.0 - 1.0;
    vec3(coordinate(), coordinate(), coordinate())
}

#[test]
fn a_hull_of_its_vertices_is_the_same_to_the_bit() {
    let (mut flat, mut fewer) = (0, 0);
    for seed in 0..240 {
        let mut draw = Draw(seed);
        let points: Vec<Vec3> = (0..=draw.below(40))
            .map(|_| {
                let point = point_of(&mut draw);
                // Lattices and planes make faces of many corners.
                match seed % 3 {
                    0 => point,
                    1 => (point * 2.0).round(),
                    _ => vec3(point.x, (point.y * 3.0).round(), 0.5),
                }
            })
            .collect();
        let hull = ConvexHull::new(&points).unwrap();
        let again = ConvexHull::new(hull.vertices()).unwrap();
        assert_eq!(hull, again, "seed {seed}");
        assert_eq!(format!("{hull:?}"), format!("{again:?}"), "seed {seed}");
        flat += usize::from(hull.dimension() < 3);
        fewer += usize::from(hull.vertices().len() < points.len());
    }
    assert!((40..200).contains(&flat) && fewer > 100, "{flat} {fewer}");
}

#[test]
fn unit_vectors_are_kept_to_the_bit() {
    let mut changed = 0;
    for seed in 0..500 {
        let direction = point_of(&mut Draw(seed)) * 7.0;
        let ray = Ray::new(Vec3::ONE, direction).unwrap();
        let kept = Ray::from_unit(ray.origin(), ray.direction()).unwrap();
        assert_eq!(kept, ray, "seed {seed}");
        changed += usize::from(Ray::new(Vec3::ONE, ray.direction()).unwrap() != ray);
        let ground = HalfSpace::new(direction, 2.0).unwrap();
        assert_eq!(HalfSpace::from_unit(ground.normal(), 2.0), Ok(ground), "seed {seed}");
        // Any other length is normalised.
        assert_eq!(HalfSpace::from_unit(direction * 0.5, 2.0), HalfSpace::new(direction, 2.0));
    }
    assert!(changed > 5, "{changed}");
    assert!(Ray::from_unit(Vec3::ONE, Vec3::ZERO).is_err());
    assert!(HalfSpace::from_unit(Vec3::NAN, 1.0).is_err());
}

#[test]
fn a_field_of_its_heights_is_the_same_to_the_bit() {
    for seed in 0..50 {
        let mut draw = Draw(seed);
        let heights: Vec<Option<f32>> =
            (0..20).map(|_| (draw.below(9) > 0).then(|| draw.unit())).collect();
        let scale = vec3(3.0, draw.unit() * 9.0, 0.7);
        let Ok(field) = HeightField::with_holes(4, 5, heights, scale) else { continue };
        let field = field.with_sides(Sides::Front);
        let scaled: Vec<Option<f32>> = field.scaled_heights().collect();
        assert_eq!(scaled[6], field.vertex(1, 1).map(|vertex| vertex.y), "seed {seed}");
        let again = HeightField::from_scaled_heights(4, 5, scaled, field.scale()).unwrap();
        assert_eq!(again.with_sides(Sides::Front), field, "seed {seed}");
    }
    let one_short = HeightField::from_scaled_heights(2, 2, vec![Some(0.0); 3], Vec3::ONE);
    assert!(one_short.is_err());
}
