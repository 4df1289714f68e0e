//! What the numbers were measured on, and with which versions.

/// The processor, the threads and the versions that the lock file holds.
pub(crate) fn describe(threads: usize) -> String {
    let versions: Vec<String> = ["parry3d", "rapier3d", "obvhs", "bvh"]
        .map(|name| format!("{name} {}", version(name)))
        .into();
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

/// Version of a dependency.
pub(crate) fn version(name: &str) -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"");
    lock.split_once(&entry).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("?")
}
