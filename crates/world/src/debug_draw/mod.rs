//! Pictures of a world, made of lines that the caller draws.

mod questions;
mod shapes;

use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, round};

use crate::{BodyId, BodyRef, World};

pub use questions::{draw_ray, draw_sweep};
pub use shapes::draw_shape;

/// What a picture of a world is drawn with: a renderer's lines, or a file.
///
/// Only [`DebugDraw::line`] is needed; whoever can draw marks and boxes better than as lines
/// overrides the others.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, Color, DebugDraw, DrawOptions, World};
///
/// #[derive(Default)]
/// struct Lines(Vec<(Vec3, Vec3, Color)>);
/// impl DebugDraw for Lines {
///     fn line(&mut self, a: Vec3, b: Vec3, color: Color) {
///         self.0.push((a, b, color));
///     }
/// }
///
/// let mut world = World::new();
/// world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?))?;
/// let (mut lines, options) = (Lines::default(), DrawOptions::default());
/// world.debug_draw(&mut lines, &options);
/// assert_eq!(lines.0.len(), 12); // the edges of the box
/// assert!(lines.0.iter().all(|line| line.2 == options.colors.fixed));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait DebugDraw {
    /// A line between two points of the world, both finite.
    fn line(&mut self, a: Vec3, b: Vec3, color: Color);

    /// A mark at a point of the world; three lines across it unless it is overridden.
    ///
    /// - Units: `reach` is the length from the middle to the end of each line.
    fn point(&mut self, at: Vec3, reach: f32, color: Color) {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            self.line(at - axis * reach, at + axis * reach, color);
        }
    }

    /// A box along the axes; its twelve edges unless it is overridden.
    fn aabb(&mut self, bounds: &Aabb, color: Color) {
        let corners = bounds.corners();
        for [a, b] in EDGES {
            self.line(corners[a], corners[b], color);
        }
    }
}

/// Corners of a box that are joined by an edge, as [`Aabb::corners`] numbers them.
pub(super) const EDGES: [[usize; 2]; 12] = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];

/// A colour in sRGB.
///
/// ```
/// use impinge_world::Color;
///
/// let orange = Color::new(0xff, 0x80, 0x00);
/// assert_eq!(format!("#{:02x}{:02x}{:02x}", orange.r, orange.g, orange.b), "#ff8000");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Color {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
}

impl Color {
    /// The colour of these parts.
    #[must_use]
    pub const fn new(r: u8, g: u8, b: u8) -> Self {
        Self { r, g, b }
    }
}

/// What has which colour.
///
/// ```
/// use impinge_world::{Color, DrawColors};
///
/// let colors = DrawColors { contact: Color::new(0, 0, 0), ..DrawColors::default() };
/// assert!(colors.contact != colors.normal && colors.ray == DrawColors::default().ray);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawColors {
    /// Fixed bodies that touch nothing.
    pub fixed: Color,
    /// Moving bodies that touch nothing.
    pub moving: Color,
    /// Sensors that overlap nothing.
    pub sensor: Color,
    /// Bodies in contact or overlap at the last update.
    pub overlapping: Color,
    /// Bounds of the bodies.
    pub bounds: Color,
    /// Pairs whose bounds met at the last update.
    pub pair: Color,
    /// Contact points.
    pub contact: Color,
    /// Normals of contacts and hits.
    pub normal: Color,
    /// Rays, and the ways of sweeps.
    pub ray: Color,
    /// Where rays and sweeps hit.
    pub hit: Color,
}

impl Default for DrawColors {
    fn default() -> Self {
        Self {
            fixed: Color::new(0x80, 0x80, 0x80),
            moving: Color::new(0x20, 0x60, 0xc0),
            sensor: Color::new(0x90, 0x50, 0xb0),
            overlapping: Color::new(0xd0, 0x80, 0x10),
            bounds: Color::new(0xb0, 0xb8, 0xa0),
            pair: Color::new(0xc0, 0xb0, 0x60),
            contact: Color::new(0xd0, 0x20, 0x20),
            normal: Color::new(0x20, 0x90, 0x40),
            ray: Color::new(0x10, 0x90, 0xa0),
            hit: Color::new(0xe0, 0x10, 0x80),
        }
    }
}

/// What is drawn of a world, and how.
///
/// ```
/// use impinge_world::{Color, DrawColors, DrawOptions};
///
/// let mut options = DrawOptions { contacts: false, ..DrawOptions::all() };
/// options.colors.ray = Color::new(0xff, 0xff, 0xff);
/// assert!(options.pairs && options.colors != DrawColors::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawOptions {
    /// The shapes of the bodies.
    pub shapes: bool,
    /// The bounds of the bodies.
    pub bounds: bool,
    /// A line between the bodies of each pair whose bounds met at the last update.
    pub pairs: bool,
    /// The points and normals of the contacts of the last update.
    pub contacts: bool,
    /// How far what has no end is drawn: half-spaces around the middle of their plane, unbounded
    /// boxes around their body, and rays from their origin. A length of the caller's scene.
    pub extent: f32,
    /// Length of normals, and four times the reach of marks. A length of the caller's scene.
    pub mark: f32,
    /// What has which colour.
    pub colors: DrawColors,
}

impl Default for DrawOptions {
    /// Shapes and contacts of a scene in metres.
    fn default() -> Self {
        Self {
            shapes: true,
            bounds: false,
            pairs: false,
            contacts: true,
            extent: 50.0,
            mark: 0.25,
            colors: DrawColors::default(),
        }
    }
}

impl DrawOptions {
    /// Everything there is.
    #[must_use]
    pub fn all() -> Self {
        Self { bounds: true, pairs: true, ..Self::default() }
    }

    /// A mark, and the normal that starts there.
    fn draw_point<D: DebugDraw + ?Sized>(
        &self,
        draw: &mut D,
        at: Vec3,
        normal: Vec3,
        color: Color,
    ) {
        draw.point(at, self.mark * 0.25, color);
        draw.line(at, reached(at, normal, self.mark), self.colors.normal);
    }
}

impl World {
    /// Draws the bodies as they are, and the pairs and contacts of the last update.
    ///
    /// The same world is drawn by the same calls in the same order: shapes, bounds, pairs, contacts,
    /// each in the order of ids. Rays and sweeps are drawn by [`draw_ray`] and [`draw_sweep`],
    /// shapes alone by [`draw_shape`].
    ///
    /// - Frame: all points are in the world.
    pub fn debug_draw<D: DebugDraw + ?Sized>(&self, draw: &mut D, options: &DrawOptions) {
        if options.shapes {
            let touching = self.touching();
            for (id, body) in self.iter() {
                let is_touching = touching.binary_search(&id).is_ok();
                let color = options.colors.of(&body, is_touching);
                draw_shape(draw, body.shape(), &body.pose(), options.extent, color);
            }
        }
        if options.bounds {
            for (_, body) in self.iter() {
                draw.aabb(&cut(&body, options.extent), options.colors.bounds);
            }
        }
        if options.pairs {
            for (a, b) in self.pairs() {
                if let (Some(a), Some(b)) = (self.body(a), self.body(b)) {
                    draw.line(a.pose().position(), b.pose().position(), options.colors.pair);
                }
            }
        }
        if options.contacts {
            for contact in self.contacts() {
                for (manifold, point) in contact.points() {
                    let colors = &options.colors;
                    draw.line(point.point_a, point.point_b, colors.contact);
                    options.draw_point(draw, point.point_b, manifold.normal, colors.contact);
                }
            }
        }
    }

    /// The bodies in contact or overlap, sorted.
    fn touching(&self) -> Vec<BodyId> {
        let contacts = self.contacts().iter().flat_map(|contact| [contact.a, contact.b]);
        let overlaps = self.sensor_overlaps().iter().flat_map(|overlap| [overlap.a, overlap.b]);
        let mut bodies: Vec<BodyId> = contacts.chain(overlaps).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }
}

impl DrawColors {
    fn of(&self, body: &BodyRef<'_>, is_touching: bool) -> Color {
        match body.kind() {
            _ if is_touching => self.overlapping,
            _ if body.is_sensor() => self.sensor,
            crate::BodyKind::Fixed => self.fixed,
            crate::BodyKind::Moving => self.moving,
        }
    }
}

/// Bounds of a body, of which unbounded sides end at the extent from its position.
fn cut(body: &BodyRef<'_>, extent: f32) -> Aabb {
    let (bounds, middle) = (body.aabb(), body.pose().position());
    let end = |side: f32, middle: f32, way: f64| {
        if side.is_finite() {
            return side;
        }
        round::nearest(f64::from(middle) + way * f64::from(extent))
    };
    let corner = |side: Vec3, way: f64| {
        Vec3::new(
            end(side.x, middle.x, way),
            end(side.y, middle.y, way),
            end(side.z, middle.z, way),
        )
    };
    let (min, max) = (corner(bounds.min(), -1.0), corner(bounds.max(), 1.0));
    // A finite side may lie beyond the end of the other one.
    Aabb::new(min.min(max), max.max(min)).unwrap_or(bounds)
}

/// The point at a distance along a direction.
fn reached(from: Vec3, direction: Vec3, distance: f32) -> Vec3 {
    round::nearest_vec(from.as_dvec3() + direction.as_dvec3() * f64::from(distance))
}
