//! The hash of a world after a few updates of each scene: the same for ever, on any machine, for
//! any number of threads and at any SIMD level, in debug and release builds.
//!
//! A change that alters an answer changes these numbers; it belongs under *Results changed* of the
//! changelog.

use std::process::Command;

use impinge_shapes::simd::SimdLevel;
use impinge_testkit::scenes::{SceneKind, build};
use impinge_world::{Body, BodyId, Snapshot, World};

const BODIES: usize = 400;
const UPDATES: u32 = 6;

/// Hash and number of contacts of each scene at the end.
const GOLDEN: [(SceneKind, u64, usize); 8] = [
    (SceneKind::Uniform, 0xf6de_87de_3a1e_4537, 226),
    (SceneKind::Plain, 0xd192_8869_d323_c773, 226),
    (SceneKind::Clusters, 0xf842_4f77_bfb1_af58, 30),
    (SceneKind::Mixed, 0x6b80_04ec_5c7e_536c, 435),
    (SceneKind::Stack, 0xd8a5_cdb9_b942_b9e3, 2210),
    (SceneKind::GiantGround, 0x8b8f_cd33_a2f4_4925, 561),
    (SceneKind::Pruning, 0x7544_7038_222c_5d68, 17),
    (SceneKind::Level, 0xbac6_f263_3fa2_6691, 294),
];

/// A run of a scene with all that a world keeps: slots, sensors, margins, removed bodies.
fn run(kind: SceneKind) -> World {
    let scene = build(kind, BODIES, 30.0, 42);
    let mut world = World::new();
    world.set_slots(true);
    let insert = |(place, body): (usize, &impinge_testkit::scenes::SceneBody)| {
        let shape = body.shape.clone();
        let body =
            if body.fixed { Body::fixed(shape) } else { Body::moving(shape) }.pose(body.pose);
        let body = body.sensor(place % 23 == 22).user_data(place as u64);
        world.insert(body.margin(if place % 31 == 30 { 0.125 } else { 0.0 }))
    };
    let ids: Vec<BodyId> =
        scene.bodies.iter().enumerate().map(insert).collect::<Result<_, _>>().expect("is valid");
    for step in 0..UPDATES {
        // Poses of removed bodies are refused one by one.
        for (place, pose) in scene.poses_at(step) {
            assert_eq!(world.set_pose(ids[place], pose).is_ok(), world.contains(ids[place]));
        }
        world.update();
        for contact in world.contacts_mut() {
            for (slot, (_, point)) in contact.slots.iter_mut().zip(contact.contact.points()) {
                slot[0] += point.distance;
            }
        }
        world.remove(ids[ids.len() - 1 - step as usize * 7]);
    }
    world.update();
    world
}

#[test]
fn golden_hashes() {
    let found = GOLDEN.map(|(kind, ..)| {
        let world = run(kind);
        (kind, world.hash(), world.contacts().len())
    });
    // Hexadecimal, so that what was found can be written down above.
    assert_eq!(format!("{found:#x?}"), format!("{GOLDEN:#x?}"));
}

#[test]
fn any_number_of_threads_gives_the_golden_hashes() {
    for threads in 1..=8 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be made").install(golden_hashes);
    }
}

#[test]
fn every_simd_level_gives_the_golden_hashes() {
    let levels = SimdLevel::NAMES.iter().filter(|name| SimdLevel::by_name(name).is_some());
    let mut seen = 0;
    for level in levels {
        // The level is read from the environment, which belongs to the whole process.
        let program = std::env::current_exe().expect("a test is a program");
        let run = Command::new(program)
            .args(["--exact", "golden_hashes"])
            .env("IMPINGE_SIMD", level)
            .output()
            .expect("a test can be run");
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && said.contains("1 passed"), "{level}: {said}");
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn scenes_are_saved_loaded_and_restored() {
    for kind in SceneKind::ALL {
        let mut world = run(kind);
        let then = world.snapshot();
        let bytes = world.to_bytes();
        let mut loaded = Snapshot::from_bytes(&bytes).expect("was saved").to_world();
        assert_eq!(loaded.hash(), world.hash(), "{kind}");
        let step = |world: &mut World| {
            let scene = build(kind, BODIES, 30.0, 42);
            let ids: Vec<BodyId> = world.iter().map(|(id, _)| id).collect();
            for (&id, body) in ids.iter().zip(&scene.bodies).step_by(9) {
                world.set_pose(id, body.pose_at(20)).expect("is alive");
            }
            world.update();
            world.hash()
        };
        let next = step(&mut world);
        assert_eq!(step(&mut loaded), next, "{kind}");
        world.restore(&then);
        assert_eq!((world.hash(), step(&mut world)), (then.hash(), next), "{kind}");
        assert_ne!(next, then.hash(), "{kind}");
    }
}
