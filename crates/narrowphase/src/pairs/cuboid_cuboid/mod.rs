//! Two boxes: fifteen axes.
//!
//! The Minkowski difference of two boxes is a solid with six generating edges. Its faces belong to
//! the fifteen axes of the separating-axis test, so the same axes give the exact relation, the
//! depth, the face to clip against and the first touch of a sweep. They are enough for boxes
//! without thickness too: a flat difference lies in a plane, where an axis counts by its part in
//! the plane, and for every edge of the flat difference some axis has that part: the axes that
//! are perpendicular to one edge span the plane across it, so not all of them stand up straight.

mod apart;
mod axes;
mod closest;
mod contact;
mod exact;
pub(crate) mod lanes;
mod manifold;
mod overlap;
pub(crate) mod side_by_side;
mod survey;
mod sweep;

pub use closest::closest;
pub use manifold::manifold;
pub use overlap::relation;
pub use sweep::sweep;
