//! Flags, help, and exit statuses.

use crate::support::impinge;

#[test]
fn help_names_every_flag() {
    let top = impinge(&["--help"], b"");
    assert_eq!(top.status, 0);
    assert!(top.stdout.contains("stress") && top.stdout.contains("query"), "{}", top.stdout);
    let stress = impinge(&["stress", "--help"], b"");
    assert_eq!(stress.status, 0);
    for flag in [
        "--scene",
        "--bodies",
        "--moving",
        "--updates",
        "--rays",
        "--sweeps",
        "--overlaps",
        "--threads",
        "--seed",
        "--json",
    ] {
        assert!(stress.stdout.contains(flag), "{flag}");
    }
    assert_eq!(impinge(&["query", "--help"], b"").status, 0);
    assert_eq!(impinge(&["--version"], b"").stdout, "impinge 0.1.0\n");
}

#[test]
fn bad_flags_are_refused_with_status_1() {
    for (arguments, message) in [
        (&["stress", "--bodies", "0"][..], "--bodies"),
        (&["stress", "--bodies", "-5"], "-5"),
        (&["stress", "--bodies", "99999999999999999999"], "--bodies"),
        (&["stress", "--bodies", "many"], "many"),
        (&["stress", "--moving", "101"], "between 0 and 100"),
        (&["stress", "--moving", "-1"], "between 0 and 100"),
        (&["stress", "--moving", "NaN"], "between 0 and 100"),
        (&["stress", "--moving", "half"], "not a number"),
        (&["stress", "--updates", "0"], "--updates"),
        (&["stress", "--threads", "0"], "--threads"),
        (&["stress", "--threads", "1000000"], "--threads"),
        (&["stress", "--seed", "1.5"], "--seed"),
        (&["stress", "--scene", "moon"], "no scene is called \"moon\""),
        (&["stress", "--scene", "uniform,"], "no scene is called"),
        (&["stress", "--colour"], "--colour"),
        (&["stress", "--json", "no/such/folder/out.json"], "cannot write no/such/folder/out.json"),
        (&["query"], "<FILE>"),
        (&["query", "no/such/file.json"], "cannot read no/such/file.json"),
        (&["query", "."], "cannot read ."),
        (&["fly"], "fly"),
        (&[], "Usage"),
    ] {
        let outcome = impinge(arguments, b"");
        assert_eq!(outcome.status, 1, "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(message), "{arguments:?}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{arguments:?}");
    }
}
