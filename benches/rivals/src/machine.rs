//! What the numbers were measured on, and with which versions.

/// The processor, the threads and the versions of the peers.
pub(crate) fn describe(threads: usize) -> String {
    let peers = ["parry3d", "rapier3d", "obvhs", "bvh"].into_iter().chain(foreign());
    let versions: Vec<String> = peers.map(|name| format!("{name} {}", version(name))).collect();
    let parallel = if cfg!(feature = "parallel") { ", peers built parallel" } else { "" };
    let simd = impinge_broadphase::simd_level().name();
    let versions = versions.join(", ");
    format!("{}, {threads} thread(s); impinge on {simd}, {versions}{parallel}", processor())
}

/// Name of the processor, as the system tells it.
pub(crate) fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let model = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    // Cloud machines hide the model behind one name; family and number tell it.
    match (field("cpu family"), field("model\t")) {
        (Some(family), Some(number)) => format!("{model} (family {family}, model {number})"),
        _ => model,
    }
}

/// The peers that are not written in Rust, if they are built in and found.
fn foreign() -> impl Iterator<Item = &'static str> {
    let embree = cfg!(feature = "embree") && absent().is_none();
    let found = [("embree", embree), ("box3d", cfg!(feature = "box3d"))];
    found.into_iter().filter(|&(_, found)| found).map(|(name, _)| name)
}

/// Why Embree is not among the contenders although the build asks for it.
pub(crate) fn absent() -> Option<&'static str> {
    #[cfg(feature = "embree")]
    return impinge_foreign::embree::library().err();
    #[cfg(not(feature = "embree"))]
    None
}

/// Version of a peer: its own word, or what the lock file holds.
pub(crate) fn version(name: &str) -> String {
    match name {
        #[cfg(feature = "embree")]
        "embree" => impinge_foreign::embree::library()
            .map_or_else(|_| "?".to_owned(), |library| library.version().to_owned()),
        #[cfg(feature = "box3d")]
        "box3d" => impinge_foreign::box3d::version() + " of box3d-sys " + locked("box3d-sys"),
        _ => locked(name).to_owned(),
    }
}

/// Version of a dependency.
fn locked(name: &str) -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"");
    lock.split_once(&entry).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("?")
}
