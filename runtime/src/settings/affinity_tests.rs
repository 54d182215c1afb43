//! The five variables about binding, alone and together.

use super::*;

/// What a set of variables asks for, as `(policies, place list)`, and the number of warnings.
fn asked(variables: &[(&str, &str)]) -> (Vec<ProcBind>, String, usize) {
    let get = |name: &str| variables.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
    let mut reader = Reader::new(&get);
    let affinity = read(&mut reader);
    let places = affinity.places.map(|places| places.to_string()).unwrap_or_default();
    (affinity.bind, places, reader.warnings.len())
}

fn kmp(text: &str) -> (Vec<ProcBind>, String, usize) {
    asked(&[("KMP_AFFINITY", text)])
}

#[test]
fn nothing_asked_binds_nothing() {
    assert_eq!(asked(&[]), (vec![], String::new(), 0));
    assert_eq!(asked(&[("OMP_PROC_BIND", " ")]), (vec![], String::new(), 0));
}

#[test]
fn policies_and_places_complete_each_other() {
    use ProcBind::*;
    assert_eq!(asked(&[("OMP_PROC_BIND", "close")]), (vec![Close], "cores".into(), 0));
    assert_eq!(asked(&[("OMP_PLACES", "threads")]), (vec![True], "threads".into(), 0));
    assert_eq!(
        asked(&[("OMP_PROC_BIND", "spread, MASTER,close"), ("OMP_PLACES", "{0},{1}")]),
        (vec![Spread, Primary, Close], "{0},{1}".into(), 0)
    );
    assert_eq!(
        asked(&[("OMP_PROC_BIND", "false"), ("OMP_PLACES", "cores")]),
        (vec![False], String::new(), 0)
    );
}

#[test]
fn true_and_false_stand_alone() {
    for text in ["true,close", "close,false", "maybe", "close,", ",close"] {
        assert_eq!(asked(&[("OMP_PROC_BIND", text)]), (vec![], String::new(), 1), "{text}");
    }
}

#[test]
fn gomp_cpu_affinity_yields_to_omp_places() {
    use ProcBind::*;
    let gomp = ("GOMP_CPU_AFFINITY", "0 2-3");
    assert_eq!(asked(&[gomp]), (vec![True], "{0},{2}:2".into(), 0));
    assert_eq!(asked(&[gomp, ("OMP_PLACES", "cores")]), (vec![True], "cores".into(), 0));
    assert_eq!(asked(&[gomp, ("OMP_PROC_BIND", "false")]), (vec![False], String::new(), 0));
    assert_eq!(asked(&[gomp, ("OMP_PROC_BIND", "spread")]), (vec![Spread], "{0},{2}:2".into(), 0));
    // A place list that is not understood leaves room for the other variable.
    assert_eq!(asked(&[gomp, ("OMP_PLACES", "chairs")]), (vec![True], "{0},{2}:2".into(), 1));
}

#[test]
fn kmp_affinity_types() {
    use ProcBind::*;
    assert_eq!(kmp("none"), (vec![False], String::new(), 0));
    assert_eq!(kmp("verbose,disabled"), (vec![False], String::new(), 0));
    assert_eq!(kmp("granularity=fine,balanced"), (vec![Spread], "threads".into(), 0));
    assert_eq!(
        kmp("verbose,granularity=fine,proclist=[3,0,{4,5},6-7],explicit"),
        (vec![True], "{3},{0},{4,5},{6}:2".into(), 0)
    );
    let ordered = |text| match parse_kmp(text).unwrap().unwrap().places.unwrap() {
        PlacesSpec::Ordered(it) => (it.inner_first, it.granularity, it.offset),
        other => panic!("{other:?}"),
    };
    assert_eq!(ordered("compact"), (0, Level::Cores, 0));
    assert_eq!(ordered("Granularity = Fine , Compact , 1 , 3"), (1, Level::Threads, 3));
    assert_eq!(ordered("scatter"), (2, Level::Cores, 0));
    assert_eq!(ordered("compact,9,4,granularity=socket"), (2, Level::Sockets, 4));
}

#[test]
fn kmp_affinity_overrides_only_when_it_names_a_type() {
    let close = ("OMP_PROC_BIND", "close");
    let wanted = (vec![ProcBind::Close], "cores".to_owned(), 0);
    assert_eq!(asked(&[close, ("KMP_AFFINITY", "verbose,granularity=fine")]), wanted);
    assert_eq!(asked(&[close, ("KMP_AFFINITY", "none")]).0, [ProcBind::False]);
}

#[test]
fn kmp_affinity_that_is_not_understood_costs_one_line() {
    for text in [
        "fast",
        "compact,compact",
        "1,compact",
        "compact,1,2,3",
        "explicit",
        "proclist=[0,explicit",
        "proclist=0,explicit",
        "granularity=huge,compact",
        "colour=red",
        "compact,-1",
        ",",
        "]compact",
    ] {
        assert_eq!(kmp(text), (vec![], String::new(), 1), "{text}");
    }
}
