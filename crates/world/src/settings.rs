//! How a world makes contacts: margins, slots, recycling, ignored pairs.

use crate::bodies::is_margin;
use crate::state::{CHANGED, RESHAPED, STALE};
use crate::world::World;
use crate::{BodyId, WorldError};

impl World {
    /// Distance up to which bodies that do not touch yet make contacts; 0 for a new world.
    #[must_use]
    pub fn margin(&self) -> f32 {
        self.state.margin
    }

    /// Lets bodies make contacts before they touch: their points then have positive distances.
    ///
    /// The margin of a pair is that of the world plus those of the two bodies.
    ///
    /// - Sign: sensors and queries never see the margin.
    ///
    /// # Errors
    /// A margin that is negative, NaN or infinite.
    pub fn set_margin(&mut self, margin: f32) -> Result<(), WorldError> {
        if !is_margin(margin) {
            return Err(WorldError::Margin(margin));
        }
        self.state.margin = margin;
        self.state.retest_all = true;
        for id in self.state.bodies.ids() {
            self.state.marks.set(id.index(), STALE, &mut self.state.stale);
        }
        Ok(())
    }

    /// Gives a body a contact margin of its own, such as the way that a fast one goes until the
    /// next update.
    ///
    /// ```
    /// use impinge_shapes::{Shape, glam::Vec3};
    /// use impinge_world::{Body, World};
    ///
    /// let mut world = World::new();
    /// let floor = world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// let ball = world.insert(Body::moving(Shape::sphere(0.5)?).at(Vec3::Y * 1.5))?;
    /// assert_eq!(world.update().contacts, 0);
    /// world.set_body_margin(ball, 2.0)?;
    /// assert_eq!(world.update().contacts, 1);
    /// assert_eq!(world.contact(floor, ball).unwrap().distance(), 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A stale id, or a margin that is negative, NaN or infinite.
    pub fn set_body_margin(&mut self, id: BodyId, margin: f32) -> Result<(), WorldError> {
        if !is_margin(margin) {
            return Err(WorldError::Margin(margin));
        }
        if !self.state.bodies.contains(id) {
            return Err(WorldError::StaleId(id));
        }
        let slot = id.index();
        if self.state.bodies.margin(slot).to_bits() != margin.abs().to_bits() {
            self.state.bodies.set_margin(slot, margin);
            self.mark_moved(slot);
            self.state.marks.set(slot, CHANGED | RESHAPED, &mut self.state.changed);
        }
        Ok(())
    }

    /// Whether contacts have slots; no for a new world.
    #[must_use]
    pub fn has_slots(&self) -> bool {
        self.state.has_slots
    }

    /// Gives every contact point a [`Slot`](crate::Slot) and an [`Anchor`](crate::Anchor) from the
    /// next update on, or takes them away.
    ///
    /// A slot is zero when its point begins. It stays with the point while the same features of the
    /// same parts touch, and ends with it; a point that new features make where old ones made one
    /// takes over its slot.
    ///
    /// ```
    /// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
    /// use impinge_world::{Body, World};
    ///
    /// let mut world = World::new();
    /// world.set_slots(true);
    /// world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// let cube = world.insert(Body::moving(Shape::cuboid(Vec3::splat(0.5))?).at(Vec3::Y * 0.5))?;
    /// world.update();
    /// for contact in world.contacts_mut() {
    ///     for (slot, (_, point)) in contact.slots.iter_mut().zip(contact.contact.points()) {
    ///         slot[0] = 2.5; // an impulse, found by a solver
    ///         assert_eq!(point.distance, 0.0);
    ///     }
    /// }
    /// world.set_pose(cube, Pose::from_position(vec3(0.1, 0.49, 0.0))?)?;
    /// world.update();
    /// let contact = world.contacts().with_slots().next().unwrap();
    /// assert_eq!(contact.slots, [[2.5, 0.0, 0.0, 0.0]; 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_slots(&mut self, slots: bool) {
        if self.state.has_slots != slots {
            self.state.has_slots = slots;
            self.state.retest_all = true;
        }
    }

    /// Length that bodies may move relative to each other before their contact is found anew; 0,
    /// which finds all contacts anew, for a new world.
    #[must_use]
    pub fn recycling(&self) -> f32 {
        self.state.recycling
    }

    /// Carries contacts of pairs that hardly moved relative to each other along with their bodies
    /// instead of looking at the shapes again.
    ///
    /// While no point of the smaller of two bodies has moved by more than `length` as seen from the
    /// other since their shapes were last looked at, their contact keeps its points and its normal
    /// where they were on the bodies (the normal on A), and distances are measured between them.
    /// It is found anew as soon as every point is beyond the margin, or a body changes in anything
    /// but its pose. So no contact begins late, none lasts beyond `length` more than its margin, and
    /// while it is carried along neither the distance of one of its points nor that of the shapes
    /// changes by more than `length`.
    ///
    /// - Ties: answers depend on the history of poses, which they do not without recycling; still
    ///   they are the same bits for any number of threads.
    ///
    /// # Errors
    /// A length that is negative, NaN or infinite.
    pub fn set_recycling(&mut self, length: f32) -> Result<(), WorldError> {
        if !is_margin(length) {
            return Err(WorldError::Recycling(length));
        }
        self.state.recycling = length;
        self.state.retest_all = true;
        Ok(())
    }

    /// Keeps two bodies from meeting, whatever their groups, until one of them is removed or
    /// [`World::set_ignored`] allows it again.
    ///
    /// It takes effect at the next update, and at once in queries that are
    /// [asked for](crate::Filter::asked_by) one of the bodies.
    ///
    /// ```
    /// use impinge_shapes::Shape;
    /// use impinge_world::{Body, Filter, World};
    ///
    /// let mut world = World::new();
    /// let arm = world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// let hand = world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// world.set_ignored(arm, hand, true)?;
    /// let report = world.update();
    /// assert_eq!((report.filtered_pairs, report.contacts), (1, 0));
    /// let seen_by_arm = Filter::new().asked_by(arm);
    /// assert!(world.queries().contains_point(Default::default(), &seen_by_arm).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A stale id.
    pub fn set_ignored(&mut self, a: BodyId, b: BodyId, ignored: bool) -> Result<(), WorldError> {
        for id in [a, b] {
            if !self.state.bodies.contains(id) {
                return Err(WorldError::StaleId(id));
            }
        }
        if a != b && self.state.bodies.set_ignored(a, b, ignored) {
            self.state.marks.set(a.index(), CHANGED, &mut self.state.changed);
            self.state.marks.set(b.index(), CHANGED, &mut self.state.changed);
        }
        Ok(())
    }

    /// Whether two bodies are kept from meeting by [`World::set_ignored`].
    #[must_use]
    pub fn is_ignored(&self, a: BodyId, b: BodyId) -> bool {
        self.state.bodies.are_ignored(a, b)
    }
}
