use super::element_type::NAMED_TYPES;
use super::*;

fn dataset(name: &str) -> &'static Dataset {
    name.parse().unwrap()
}

fn u32s(name: &str, values: usize) -> Vec<u32> {
    let bytes = dataset(name).generate(ElementType::U32, values, 7);
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|&bytes| u32::from_le_bytes(bytes))
        .collect()
}

fn f64s(name: &str, values: usize) -> Vec<f64> {
    let bytes = dataset(name).generate(ElementType::F64, values, 7);
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|&bytes| f64::from_le_bytes(bytes))
        .collect()
}

fn all_types() -> impl Iterator<Item = ElementType> {
    NAMED_TYPES
        .iter()
        .map(|row| row.1)
        .chain([1, 2, 3, 8, 9, 16, 255].map(ElementType::Fixed))
}

#[test]
fn every_dataset_fills_every_type_and_depends_on_the_seed_alone() {
    for dataset in DATASETS {
        for element in all_types() {
            let bytes = dataset.generate(element, 100, 1);
            assert_eq!(
                bytes.len(),
                100 * element.width(),
                "{} {element}",
                dataset.name
            );
            assert_eq!(bytes, dataset.generate(element, 100, 1));
            assert_ne!(
                bytes,
                dataset.generate(element, 100, 2),
                "{} {element}",
                dataset.name
            );
            assert!(dataset.generate(element, 0, 1).is_empty());
        }
    }
}

#[test]
fn names_are_unique_and_read_back() {
    for dataset in DATASETS {
        assert!(std::ptr::eq(
            dataset,
            dataset.name.parse::<&Dataset>().unwrap()
        ));
    }
    for element in all_types() {
        assert_eq!(element.to_string().parse(), Ok(element));
    }
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let message = "nosuch".parse::<&Dataset>().unwrap_err().to_string();
    assert!(
        message.contains("`nosuch`") && message.contains("steps, smooth"),
        "{message}"
    );
    for wrong in ["f8", "fixed", "fixed0", "fixed256", ""] {
        assert!(wrong.parse::<ElementType>().is_err(), "{wrong}");
    }
}

#[test]
fn the_data_is_what_the_description_says() {
    let gaps = u32s("gaps", 10_000);
    assert!(gaps.is_sorted_by(|a, b| a < b));
    assert!((45..55).contains(&(gaps[9999] / 10_000)), "{}", gaps[9999]);

    assert!(u32s("one_byte", 10_000).iter().all(|&value| value < 64));
    let two_bytes = u32s("two_bytes", 10_000);
    assert!(
        two_bytes
            .iter()
            .all(|&value| (-4096..4096).contains(&(value as i32)))
    );

    let widths = u32s("mixed_widths", 28_000);
    let wide = widths.iter().filter(|&&value| value >= 1 << 24).count();
    assert!((6_600..7_400).contains(&wide), "{wide}");

    let smooth = f64s("smooth", 100_000);
    assert!(smooth.iter().all(|value| (200.0..400.0).contains(value)));
    assert!(
        smooth
            .windows(2)
            .all(|pair| (pair[0] - pair[1]).abs() < 2.0)
    );

    let decimals = f64s("decimals", 10_000);
    assert!(
        decimals
            .iter()
            .all(|value| (value * 10.0).round() / 10.0 == *value)
    );

    let mut repeated = f64s("repeated", 10_000);
    repeated.sort_by(f64::total_cmp);
    repeated.dedup();
    assert!((250..=256).contains(&repeated.len()));
}

#[test]
fn fixed_widths_are_big_endian_twos_complement() {
    let push = |width, value| {
        let mut bytes = Vec::new();
        ElementType::Fixed(width).push_integer(value, &mut bytes);
        bytes
    };
    assert_eq!(push(3, 0x01_0203), [1, 2, 3]);
    assert_eq!(push(3, -2), [0xff, 0xff, 0xfe]);
    assert_eq!(push(10, -2), [[0xff; 9].as_slice(), &[0xfe]].concat());
    assert_eq!(push(9, 1), [0, 0, 0, 0, 0, 0, 0, 0, 1]);
}
