//! Serde for what is more than its numbers.

use std::fmt;

use impinge_shapes::Shape;
use impinge_shapes::glam::{Quat, Vec3};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::bodies::checked;
use crate::filter::Tag;
use crate::{Body, BodyKind, Groups, Snapshot, World};

/// A body as it is written; what is left out is as in a new one.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Body", deny_unknown_fields)]
struct RawBody {
    shape: Shape,
    kind: BodyKind,
    position: Vec3,
    #[serde(default)]
    rotation: Quat,
    #[serde(default)]
    groups: Groups,
    #[serde(default)]
    sensor: bool,
    #[serde(default)]
    user_data: u64,
    #[serde(default)]
    margin: f32,
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Tag { groups, kind, sensor } = self.tag;
        let (shape, user_data, margin) = (self.shape.clone(), self.user_data, self.margin);
        let (position, rotation) = (self.position, self.rotation);
        RawBody { shape, kind, position, rotation, groups, sensor, user_data, margin }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawBody::deserialize(deserializer)?;
        let body = Self {
            shape: raw.shape,
            position: raw.position,
            rotation: raw.rotation,
            tag: Tag { groups: raw.groups, kind: raw.kind, sensor: raw.sensor },
            user_data: raw.user_data,
            margin: raw.margin,
        };
        checked(&body).map_err(D::Error::custom)?;
        Ok(body)
    }
}

/// As bytes: the binary form checks what belongs together and shares shapes.
impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.to_bytes())
    }
}

impl<'de> Deserialize<'de> for Snapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(Bytes)
    }
}

/// As bytes, see [`World::to_bytes`].
impl Serialize for World {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.snapshot().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for World {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Snapshot::deserialize(deserializer)?.to_world())
    }
}

/// Reads a snapshot from bytes, which some formats give one by one.
struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Snapshot;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a saved world")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Snapshot, E> {
        Snapshot::from_bytes(bytes).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Snapshot, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}
