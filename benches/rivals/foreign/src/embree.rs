//! Embree 4 or 3: the first or any hit along rays, among primitives that the caller tests.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;
use std::{env, mem, ptr};

use crate::{Bounds, Vector};

/// Environment variable with the path of the library to load, before those that the system knows.
pub const PATH: &str = "EMBREE_LIBRARY";

/// Names that the library has, the newest first.
const NAMES: [&str; 5] =
    ["libembree4.so.4", "libembree4.dylib", "embree4.dll", "libembree3.so.3", "libembree3.dylib"];

/// Something that rays hit.
pub trait Primitive: Sync + 'static {
    /// Its bounds.
    fn bounds(&self) -> Bounds;

    /// How far along the ray it begins, if less far than `most`.
    fn cast(&self, origin: Vector, direction: Vector, most: f32) -> Option<f32>;
}

/// `RTCRay`.
#[derive(Debug)]
#[repr(C, align(16))]
struct Ray {
    origin: Vector,
    near: f32,
    direction: Vector,
    time: f32,
    far: f32,
    mask: c_uint,
    id: c_uint,
    flags: c_uint,
}

impl Ray {
    #[inline]
    fn new(origin: Vector, direction: Vector, far: f32) -> Self {
        let (near, time, mask, id, flags) = (0.0, 0.0, c_uint::MAX, 0, 0);
        Self { origin, near, direction, time, far, mask, id, flags }
    }
}

/// `RTCRayHit` of both versions: that of version 3 ends before the last field.
#[derive(Debug)]
#[repr(C, align(16))]
struct RayHit {
    ray: Ray,
    normal: Vector,
    u: f32,
    v: f32,
    primitive: c_uint,
    geometry: c_uint,
    instance: c_uint,
    instance_primitive: c_uint,
}

/// `RTCBounds`.
#[repr(C, align(16))]
struct RawBounds {
    min: Vector,
    _pad: f32,
    max: Vector,
    _other: f32,
}

/// `RTCBoundsFunctionArguments`.
#[repr(C)]
struct BoundsArguments {
    primitives: *const c_void,
    index: c_uint,
    _time_step: c_uint,
    bounds: *mut RawBounds,
}

/// `RTCIntersectFunctionNArguments` or `RTCOccludedFunctionNArguments`, for single rays.
#[repr(C)]
struct Arguments<R> {
    valid: *const c_int,
    primitives: *const c_void,
    index: c_uint,
    _context: *const c_void,
    ray: *mut R,
    count: c_uint,
    geometry: c_uint,
}

/// `RTCIntersectContext` of version 3, with its last field, which not every build has.
#[repr(C)]
struct Context {
    flags: c_int,
    filter: *const c_void,
    instance: c_uint,
    min_width: f32,
}

/// No geometry, no instance.
const NONE: c_uint = c_uint::MAX;
/// `RTC_GEOMETRY_TYPE_USER`.
const USER_GEOMETRY: c_int = 120;
/// `RTC_BUILD_QUALITY_HIGH`.
const HIGH_QUALITY: c_int = 2;
/// `RTC_DEVICE_PROPERTY_VERSION_MAJOR`, `_MINOR` and `_PATCH`.
const VERSION: [c_int; 3] = [1, 2, 3];

type BoundsFunction = unsafe extern "C" fn(*const BoundsArguments);
type Function<R> = unsafe extern "C" fn(*const Arguments<R>);

/// `rtcIntersect1` or `rtcOccluded1`, whose arguments the versions order differently.
#[derive(Clone, Copy, Debug)]
enum Cast<R> {
    Three(unsafe extern "C" fn(*mut c_void, *mut Context, *mut R)),
    Four(unsafe extern "C" fn(*mut c_void, *mut R, *const c_void)),
}

impl<R> Cast<R> {
    /// Casts the ray.
    ///
    /// # Safety
    ///
    /// The scene is valid and committed.
    #[inline]
    unsafe fn cast(&self, scene: *mut c_void, ray: &mut R) {
        match *self {
            Self::Three(cast) => {
                // Flags of 0: rays that need not go the same way.
                let mut context =
                    Context { flags: 0, filter: ptr::null(), instance: NONE, min_width: 0.0 };
                // SAFETY: the scene is committed, context and ray are as version 3 wants them.
                unsafe { cast(scene, &raw mut context, ray) };
            }
            // SAFETY: the scene is committed, the ray is as version 4 wants it, and no arguments
            // are the default ones.
            Self::Four(cast) => unsafe { cast(scene, ray, ptr::null()) },
        }
    }
}

/// The functions of a loaded library, which stays loaded until the program ends.
#[derive(Debug)]
pub struct Library {
    _library: libloading::Library,
    version: String,
    new_device: unsafe extern "C" fn(*const c_char) -> *mut c_void,
    release_device: unsafe extern "C" fn(*mut c_void),
    device_error: unsafe extern "C" fn(*mut c_void) -> c_int,
    new_scene: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    release_scene: unsafe extern "C" fn(*mut c_void),
    scene_quality: unsafe extern "C" fn(*mut c_void, c_int),
    commit_scene: unsafe extern "C" fn(*mut c_void),
    new_geometry: unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void,
    release_geometry: unsafe extern "C" fn(*mut c_void),
    primitive_count: unsafe extern "C" fn(*mut c_void, c_uint),
    user_data: unsafe extern "C" fn(*mut c_void, *const c_void),
    bounds_function: unsafe extern "C" fn(*mut c_void, BoundsFunction, *const c_void),
    intersect_function: unsafe extern "C" fn(*mut c_void, Function<RayHit>),
    occluded_function: unsafe extern "C" fn(*mut c_void, Function<Ray>),
    commit_geometry: unsafe extern "C" fn(*mut c_void),
    attach_geometry: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_uint,
    intersect: Cast<RayHit>,
    occluded: Cast<Ray>,
}

/// The library, loaded at the first call.
///
/// # Errors
///
/// Says what was looked for, if nothing of it is there.
pub fn library() -> Result<&'static Library, &'static str> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(Library::load).as_ref().map_err(String::as_str)
}

/// A function of the library by its name.
///
/// # Safety
///
/// `T` is the type of a pointer to that very function.
unsafe fn function<T: Copy>(library: &libloading::Library, name: &CStr) -> Result<T, String> {
    // SAFETY: the caller vouches for the type.
    let symbol = unsafe { library.get::<T>(name.to_bytes_with_nul()) };
    symbol.map(|symbol| *symbol).map_err(|error| error.to_string())
}

/// A function of the library by its name; its type is that of the field it goes to.
macro_rules! function {
    ($library:expr, $name:literal) => {
        // SAFETY: the fields have the types that the headers of versions 3 and 4 declare.
        unsafe { function(&$library, $name)? }
    };
}

impl Library {
    fn load() -> Result<Self, String> {
        let given = env::var_os(PATH).filter(|path| !path.is_empty());
        let names = NAMES.map(Into::into);
        let candidates = given.as_slice().iter().chain(&names);
        // SAFETY: constructors of a library may do anything; those of Embree do nothing unusual.
        let mut loaded =
            candidates.filter_map(|name| unsafe { libloading::Library::new(name) }.ok());
        let Some(library) = loaded.next() else {
            return Err(format!("neither ${PATH} nor any of {} could be loaded", NAMES.join(", ")));
        };
        let new_device: unsafe extern "C" fn(*const c_char) -> *mut c_void =
            function!(library, c"rtcNewDevice");
        let release_device: unsafe extern "C" fn(*mut c_void) =
            function!(library, c"rtcReleaseDevice");
        let property: unsafe extern "C" fn(*mut c_void, c_int) -> isize =
            function!(library, c"rtcGetDeviceProperty");
        // SAFETY: no configuration is a valid one.
        let device = unsafe { new_device(ptr::null()) };
        if device.is_null() {
            return Err("the library makes no device".to_owned());
        }
        // SAFETY: the device is valid, and so are the properties.
        let numbers = VERSION.map(|number| unsafe { property(device, number) });
        // SAFETY: the device is not used again.
        unsafe { release_device(device) };
        let (intersect, occluded) = match numbers[0] {
            3 => (
                Cast::Three(function!(library, c"rtcIntersect1")),
                Cast::Three(function!(library, c"rtcOccluded1")),
            ),
            4 => (
                Cast::Four(function!(library, c"rtcIntersect1")),
                Cast::Four(function!(library, c"rtcOccluded1")),
            ),
            other => return Err(format!("version {other} is not known here")),
        };
        Ok(Self {
            version: numbers.map(|number| number.to_string()).join("."),
            new_device,
            release_device,
            device_error: function!(library, c"rtcGetDeviceError"),
            new_scene: function!(library, c"rtcNewScene"),
            release_scene: function!(library, c"rtcReleaseScene"),
            scene_quality: function!(library, c"rtcSetSceneBuildQuality"),
            commit_scene: function!(library, c"rtcCommitScene"),
            new_geometry: function!(library, c"rtcNewGeometry"),
            release_geometry: function!(library, c"rtcReleaseGeometry"),
            primitive_count: function!(library, c"rtcSetGeometryUserPrimitiveCount"),
            user_data: function!(library, c"rtcSetGeometryUserData"),
            bounds_function: function!(library, c"rtcSetGeometryBoundsFunction"),
            intersect_function: function!(library, c"rtcSetGeometryIntersectFunction"),
            occluded_function: function!(library, c"rtcSetGeometryOccludedFunction"),
            commit_geometry: function!(library, c"rtcCommitGeometry"),
            attach_geometry: function!(library, c"rtcAttachGeometry"),
            intersect,
            occluded,
            _library: library,
        })
    }

    /// Its version, as in 4.4.0.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// The primitive that Embree asks about.
///
/// # Safety
///
/// Both come from the arguments for a geometry whose data are primitives of that type. These outlive
/// the scene, and Embree knows their number.
#[inline]
unsafe fn primitive<'a, P: Primitive>(primitives: *const c_void, index: c_uint) -> &'a P {
    // SAFETY: the index is less than the number of primitives.
    let primitive = unsafe { primitives.cast::<P>().add(index as usize) };
    // SAFETY: it is one of them, and nobody changes it.
    unsafe { &*primitive }
}

/// Tells Embree the bounds of a primitive.
unsafe extern "C" fn bounds<P: Primitive>(arguments: *const BoundsArguments) {
    // SAFETY: Embree passes arguments that are valid during the call.
    let arguments = unsafe { &*arguments };
    // SAFETY: data and index of the geometry's arguments.
    let primitive = unsafe { primitive::<P>(arguments.primitives, arguments.index) };
    let Bounds { min, max } = primitive.bounds();
    // SAFETY: Embree wants the bounds written there.
    unsafe { arguments.bounds.write(RawBounds { min, _pad: 0.0, max, _other: 0.0 }) };
}

/// The distance at which a ray meets a primitive, if it has to be tested.
///
/// # Safety
///
/// The arguments come from Embree, for a single ray and a geometry whose data are primitives of
/// that type.
#[inline]
unsafe fn meet<P: Primitive, R>(arguments: &Arguments<R>, ray: &Ray) -> Option<f32> {
    debug_assert_eq!(arguments.count, 1, "only single rays are cast");
    // SAFETY: one flag for the one ray.
    if unsafe { *arguments.valid } == 0 {
        return None;
    }
    // SAFETY: data and index of the geometry's arguments.
    let primitive = unsafe { primitive::<P>(arguments.primitives, arguments.index) };
    primitive.cast(ray.origin, ray.direction, ray.far)
}

/// Tests one ray and one primitive for the first hit.
unsafe extern "C" fn intersect<P: Primitive>(arguments: *const Arguments<RayHit>) {
    // SAFETY: Embree passes arguments that are valid during the call.
    let arguments = unsafe { &*arguments };
    // SAFETY: a packet of one ray is laid out as a single one, and nobody else has it now.
    let hit = unsafe { &mut *arguments.ray };
    // SAFETY: the function is set together with primitives of that type.
    if let Some(distance) = unsafe { meet::<P, _>(arguments, &hit.ray) } {
        hit.ray.far = distance;
        hit.primitive = arguments.index;
        hit.geometry = arguments.geometry;
    }
}

/// Tests one ray and one primitive for any hit.
unsafe extern "C" fn occluded<P: Primitive>(arguments: *const Arguments<Ray>) {
    // SAFETY: Embree passes arguments that are valid during the call.
    let arguments = unsafe { &*arguments };
    // SAFETY: as in `intersect`.
    let ray = unsafe { &mut *arguments.ray };
    // SAFETY: the function is set together with primitives of that type.
    if unsafe { meet::<P, _>(arguments, ray) }.is_some() {
        ray.far = f32::NEG_INFINITY;
    }
}

/// Primitives, and Embree's best tree over them.
#[derive(Debug)]
pub struct Scene<P: Primitive> {
    library: &'static Library,
    device: *mut c_void,
    scene: *mut c_void,
    /// Embree has a pointer to them.
    primitives: Vec<P>,
}

impl<P: Primitive> Scene<P> {
    /// One geometry of all primitives, built at high quality.
    ///
    /// # Errors
    ///
    /// The number of Embree's error, if it could not build that.
    pub fn new(library: &'static Library, primitives: Vec<P>) -> Result<Self, c_int> {
        let count = c_uint::try_from(primitives.len()).expect("Embree counts in 32 bits");
        // One thread builds, so that no others idle beside what is measured.
        // SAFETY: the configuration is a valid string.
        let device = unsafe { (library.new_device)(c"threads=1".as_ptr()) };
        // SAFETY: the device is valid; of null, functions take note as an error.
        let scene = unsafe { (library.new_scene)(device) };
        // From here on it is released whatever happens.
        let scene = Self { library, device, scene, primitives };
        // SAFETY: device and type are valid.
        let geometry = unsafe { (library.new_geometry)(device, USER_GEOMETRY) };
        // SAFETY: the geometry is valid.
        unsafe { (library.primitive_count)(geometry, count) };
        let data = scene.primitives.as_ptr().cast();
        // SAFETY: as above; the primitives are not moved or changed while the scene lives.
        unsafe { (library.user_data)(geometry, data) };
        // SAFETY: as above; the function fits the data.
        unsafe { (library.bounds_function)(geometry, bounds::<P>, ptr::null()) };
        // SAFETY: as above.
        unsafe { (library.intersect_function)(geometry, intersect::<P>) };
        // SAFETY: as above.
        unsafe { (library.occluded_function)(geometry, occluded::<P>) };
        // SAFETY: as above.
        unsafe { (library.commit_geometry)(geometry) };
        // SAFETY: scene and geometry are valid.
        unsafe { (library.attach_geometry)(scene.scene, geometry) };
        // SAFETY: the scene keeps a reference of its own.
        unsafe { (library.release_geometry)(geometry) };
        // SAFETY: the scene and the quality are valid.
        unsafe { (library.scene_quality)(scene.scene, HIGH_QUALITY) };
        // SAFETY: the scene is valid.
        unsafe { (library.commit_scene)(scene.scene) };
        // SAFETY: the device is valid or null, for which the last error of the thread is told.
        let error = unsafe { (library.device_error)(device) };
        if error == 0 { Ok(scene) } else { Err(error) }
    }

    /// The first primitive along the ray and how far away it is.
    #[inline]
    pub fn cast(&self, origin: Vector, direction: Vector, length: f32) -> Option<(u32, f32)> {
        let mut hit = RayHit {
            ray: Ray::new(origin, direction, length),
            normal: [0.0; 3],
            u: 0.0,
            v: 0.0,
            primitive: NONE,
            geometry: NONE,
            instance: NONE,
            instance_primitive: NONE,
        };
        // SAFETY: the scene is valid and was committed when it was made.
        unsafe { self.library.intersect.cast(self.scene, &mut hit) };
        (hit.geometry != NONE).then_some((hit.primitive, hit.ray.far))
    }

    /// Whether there is a primitive along the ray.
    #[inline]
    pub fn meets(&self, origin: Vector, direction: Vector, length: f32) -> bool {
        let mut ray = Ray::new(origin, direction, length);
        // SAFETY: the scene is valid and was committed when it was made.
        unsafe { self.library.occluded.cast(self.scene, &mut ray) };
        ray.far < 0.0
    }
}

impl<P: Primitive> Drop for Scene<P> {
    fn drop(&mut self) {
        // SAFETY: the scene is not used again; its release ends the use of the primitives.
        unsafe { (self.library.release_scene)(self.scene) };
        // SAFETY: nor is the device.
        unsafe { (self.library.release_device)(self.device) };
    }
}

// The layouts that Embree's headers give these types.
const _: () = {
    assert!(size_of::<RayHit>() == 96 && mem::offset_of!(RayHit, normal) == 48);
    assert!(mem::offset_of!(RayHit, geometry) == 72);
    assert!(size_of::<RawBounds>() == 32 && mem::offset_of!(RawBounds, max) == 16);
    assert!(size_of::<Ray>() == 48 && mem::offset_of!(Ray, far) == 32);
    assert!(size_of::<Arguments<RayHit>>() == 48);
};

#[cfg(test)]
mod tests {
    use super::*;

    struct Slab(f32);

    impl Primitive for Slab {
        fn bounds(&self) -> Bounds {
            Bounds { min: [self.0, -1.0, -1.0], max: [self.0 + 0.5, 1.0, 1.0] }
        }

        fn cast(&self, origin: Vector, direction: Vector, most: f32) -> Option<f32> {
            let distance = (self.0 - origin[0]) / direction[0];
            (0.0..most).contains(&distance).then_some(distance)
        }
    }

    /// Passes without a word where no Embree is installed.
    #[test]
    fn the_nearest_of_some_slabs_is_hit() {
        let Ok(library) = library() else { return };
        let scene = Scene::new(library, (1..20).map(|at| Slab(at as f32)).collect());
        let scene = scene.expect("a small scene can be built");
        assert_eq!(scene.cast([0.0; 3], [1.0, 0.0, 0.0], 100.0), Some((0, 1.0)));
        assert_eq!(scene.cast([4.75, 0.0, 0.0], [1.0, 0.0, 0.0], 100.0), Some((4, 0.25)));
        assert_eq!(scene.cast([4.75, 0.0, 0.0], [1.0, 0.0, 0.0], 0.125), None);
        assert!(scene.meets([4.75, 0.0, 0.0], [1.0, 0.0, 0.0], 100.0));
        assert!(!scene.meets([4.75, 0.0, 0.0], [1.0, 0.0, 0.0], 0.125));
        assert_eq!(scene.cast([0.0, 5.0, 0.0], [1.0, 0.0, 0.0], 100.0), None);
    }
}
