use super::*;

fn addresses(numbers: impl IntoIterator<Item = u64>) -> Vec<Address> {
    numbers.into_iter().map(Address).collect()
}

fn spooled(items: &[Address]) -> Pieces<Address> {
    let mut spool = Spool::new(0, 1 << 30);
    let mut filling = spool.begin().expect("a temporary file");
    items.iter().for_each(|item| spool.append(&mut filling, &item.0.to_be_bytes()).expect("there is room"));
    spool.finish(filling).spelled(Identifiers(8))
}

fn backwards(list: &Pieces<Address>) -> Vec<Address> {
    let (mut reader, mut piece, mut all) = (list.open(ListEnd::Back), Vec::new(), Vec::new());
    while reader.next(&mut piece).expect("it can be read") {
        all.append(&mut piece);
    }
    all.reverse();
    all
}

fn assert_items(list: &Pieces<Address>, expected: &[Address]) {
    assert_eq!(list.count(), expected.len() as u64);
    assert!(list.collect().expect("it can be read") == expected, "from the front");
    assert!(backwards(list) == expected, "from the back");
    assert_eq!(list.first_difference(&expected.to_vec().into()).expect("it can be read"), None);
}

#[test]
fn what_is_done_to_lists_is_done_from_either_end() {
    let numbers = addresses((0..40_000).map(|n| n % 7 * 8));
    for list in [spooled(&numbers), numbers.clone().into()] {
        assert_items(&list, &numbers);
        assert_items(&list.reversed(), &numbers.iter().rev().copied().collect::<Vec<_>>());
        assert_items(&list.mapped(|to| Address(to.0 + 1)), &addresses(numbers.iter().map(|to| to.0 + 1)));
        let kept: Vec<Address> = numbers.iter().copied().filter(|to| !to.is_null()).collect();
        assert_items(&list.without_nulls().expect("it can be read"), &kept);
        assert_items(&list.without_first(20_001), &numbers[20_001..]);
        assert_items(&list.reversed().without_first(3).reversed(), &numbers[..39_997]);
        let padded = [&numbers[..], &[Address::NULL; 5]].concat();
        assert_items(&list.followed_by(Pieces::repeated(Address::NULL, 5)), &padded);
        assert_eq!(list.first(3).expect("it can be read"), numbers[..3]);
        assert_eq!(list.nulls().expect("it can be read"), 40_000_u64.div_ceil(7));
    }
    assert_items(&Pieces::from(Vec::new()), &[]);
}

#[test]
fn the_first_difference_is_found_wherever_pieces_end() {
    let one = addresses(0..50_000);
    for (place, length) in [(0, 50_000), (49_999, 50_000), (20_000, 50_000), (30_000, 30_000)] {
        let mut other = one[..length].to_vec();
        if let Some(item) = other.get_mut(place) {
            item.0 += 1;
        }
        let found = Pieces::from(other.clone()).without_first(0).first_difference(&spooled(&one));
        assert_eq!(found.expect("it can be read"), Some(place as u64));
        assert!(Pieces::from(other) != spooled(&one));
    }
}

#[test]
fn addresses_are_sorted_in_runs() {
    let mixed = addresses((0..30_000_u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50));
    let ascending = addresses(0..30_000);
    for numbers in [mixed, ascending, Vec::new()] {
        let mut expected = numbers.clone();
        expected.sort_unstable();
        for run in [1000, 10_000, 30_000, 40_000] {
            assert_items(&sorting::sorted_in_runs(&spooled(&numbers), run).expect("a temporary file"), &expected);
        }
    }
}

#[test]
fn room_is_used_again_once_contents_are_forgotten_and_is_limited() {
    let mut spool = Spool::new(0, 100);
    let mut store = |byte| {
        let mut filling = spool.begin().expect("a temporary file");
        spool.append(&mut filling, &[byte; 60]).map(|()| spool.finish(filling).plain())
    };
    for byte in 0..5 {
        let list = store(byte).expect("there is room");
        assert_eq!(list.collect().expect("it can be read"), [byte; 60]);
    }
    let kept = store(7).expect("there is room");
    let refused = store(8).map(|_| ()).expect_err("no room beside another").to_string();
    assert!(refused.contains("need 120 bytes") && refused.contains("100 are allowed"), "{refused}");
    assert_eq!(kept.collect().expect("it can be read"), [7; 60]);
}
