//! Parses conditions, and refuses others with a place.

use super::*;
use arrow_schema::{DataType, Field};
use std::sync::Arc;

fn compare(column: &str, comparison: Comparison, value: Value) -> Predicate {
    Predicate::Compare {
        column: column.to_owned(),
        comparison,
        value,
    }
}

fn parsed(text: &str) -> Predicate {
    text.parse().unwrap()
}

#[test]
fn values_and_columns() {
    let equal = |column, value| compare(column, Comparison::Equal, value);
    for (text, expected) in [
        ("a = 1", equal("a", Value::Integer(1))),
        ("a=-1", equal("a", Value::Integer(-1))),
        (
            "a == 1.50",
            equal(
                "a",
                Value::Decimal {
                    digits: 150,
                    scale: 2,
                },
            ),
        ),
        (
            "a = .5e-3",
            equal(
                "a",
                Value::Decimal {
                    digits: 5,
                    scale: 4,
                },
            ),
        ),
        ("a = 'it''s'", equal("a", Value::Text("it's".into()))),
        ("a = x'00fF'", equal("a", Value::Binary(vec![0, 255]))),
        ("a = TRUE", equal("a", Value::Boolean(true))),
        ("größe.x = 1", equal("größe.x", Value::Integer(1))),
        ("\"a b\".\"c\"\"\" = 1", equal("a b.c\"", Value::Integer(1))),
        (
            "\"is\" <> 1",
            compare("is", Comparison::NotEqual, Value::Integer(1)),
        ),
        (
            "a>=1",
            compare("a", Comparison::GreaterOrEqual, Value::Integer(1)),
        ),
    ] {
        assert_eq!(parsed(text), expected, "{text}");
    }
}

#[test]
fn and_binds_more_tightly_than_or_and_not_more_than_and() {
    let a = || Predicate::IsNull { column: "a".into() };
    let not = |inner| Predicate::Not(Box::new(inner));
    let test = "a is null";
    assert_eq!(
        parsed(&format!("{test} or {test} AND not {test}")),
        Predicate::Or(vec![a(), Predicate::And(vec![a(), not(a())])])
    );
    assert_eq!(
        parsed(&format!("({test} or {test}) and a is not null")),
        Predicate::And(vec![Predicate::Or(vec![a(), a()]), not(a())])
    );
    let values = vec![Value::Integer(1), Value::Text("b".into())];
    assert_eq!(
        parsed("a not in (1, 'b')"),
        not(Predicate::In {
            column: "a".into(),
            values
        })
    );
    let pattern = "b%".to_owned();
    assert_eq!(
        parsed("a like 'b%'"),
        Predicate::Like {
            column: "a".into(),
            pattern
        }
    );
    let range = [
        (Comparison::GreaterOrEqual, 1),
        (Comparison::LessOrEqual, 2),
    ];
    let range = range.map(|(comparison, value)| compare("a", comparison, Value::Integer(value)));
    assert_eq!(parsed("a between 1 and 2"), Predicate::And(range.to_vec()));
}

#[test]
fn expressions_have_the_usual_precedence() {
    let column = |name: &str| Expression::Column(name.to_owned());
    let value = |value| Expression::Value(Value::Integer(value));
    let arithmetic = |left, operator, right| Expression::Arithmetic {
        left: Box::new(left),
        operator,
        right: Box::new(right),
    };
    let greater = |left, right| Predicate::CompareExpressions {
        left,
        comparison: Comparison::Greater,
        right,
    };
    assert_eq!(parsed("a > b"), greater(column("a"), column("b")));
    assert_eq!(
        parsed("1 < a"),
        compare("a", Comparison::Greater, Value::Integer(1))
    );
    assert_eq!(
        parsed("a > -(-3)"),
        compare("a", Comparison::Greater, Value::Integer(3))
    );
    let product = arithmetic(value(2), Operator::Multiply, column("b[1].c"));
    let sum = arithmetic(column("a"), Operator::Subtract, product);
    assert_eq!(
        parsed("a-2*b[1].c > -c[-1]"),
        greater(sum, Expression::Negative(Box::new(column("c[-1]"))))
    );
    let sum = arithmetic(column("a"), Operator::Add, value(1));
    let product = arithmetic(sum, Operator::Remainder, column("b"));
    assert_eq!(parsed("((a + 1) % b) > (1)"), greater(product, value(1)));
    assert_eq!(
        parsed("a[*] = 1"),
        compare("a[*]", Comparison::Equal, Value::Integer(1))
    );
    assert_eq!(
        parsed("not a not ilike 'B%'"),
        Predicate::Not(Box::new(Predicate::Not(Box::new(Predicate::ILike {
            column: "a".into(),
            pattern: "B%".into()
        }))))
    );
    let hour = Value::Duration(5_400_000_000_000);
    assert_eq!(
        parsed("a >= interval '90 minutes'"),
        compare("a", Comparison::GreaterOrEqual, hour)
    );
    assert_eq!(
        parsed("date = date '1970-01-02'"),
        compare("date", Comparison::Equal, Value::Date(1))
    );
}

#[test]
fn errors_name_the_place() {
    let deep = format!("{}a = 1", "not ".repeat(100));
    let long = format!("{}a = 1", "a + ".repeat(300));
    let wide = format!("{}a = 1", "(".repeat(100_000));
    for (text, problem) in [
        ("", "expected a column or a value at the end"),
        (
            "a",
            "expected an operator such as `=`, `in`, `like` or `is null` at the end",
        ),
        (
            "a in (b)",
            "such as 'a', at `b)` of the condition `a in (b)`",
        ),
        ("a = 1 b", "expected `and`, `or` or the end at `b`"),
        ("a = 'b", "missing a closing ' at `'b`"),
        ("a = null", "use `is null` or `is not null`: at `null`"),
        ("a in 1", "expected `(` at `1`"),
        ("a in ()", "expected a value at `)`"),
        ("(a = 1", "expected `)` at the end"),
        ("a ! 1", "unknown operator at `! 1`"),
        ("a = 1x", "expected a number of up to 38 digits at `1x`"),
        ("a = x'0'", "expected pairs of hexadecimal digits"),
        ("a ; b", "unexpected character at `; b`"),
        (
            "1 < 2",
            "expected a column on one side of the operator at `< 2`",
        ),
        (
            "a + 1 like 'a%'",
            "expected a column, and no other expression, before the test at `like 'a%'`",
        ),
        (
            "1 is null",
            "expected a column on one side of the operator at `is null`",
        ),
        ("a['b' = 1", "expected `]` at `= 1`"),
        (
            "(a = 1) + 2 > 3",
            "a condition has no value to compare or calculate with at `2 > 3`",
        ),
        (
            "a[x] = 1",
            "expected the number of an element, from 1, `*` for any, or a key such as 'a' at `x] = 1`",
        ),
        ("a > interval '1 parsec'", "\"1 parsec\" is no duration"),
        ("a + 1 and b = 1", "expected an operator such as `=`"),
        (
            "a not 1",
            "expected `in`, `like`, `ilike` or `between` at `1`",
        ),
        (&long, "more than 256 operations"),
        (&wide, "more than 64 nested conditions"),
        (&deep, "more than 64 nested conditions"),
    ] {
        let error = text.parse::<Predicate>().unwrap_err().to_string();
        assert!(error.contains(problem), "{text}: {error}");
    }
}

#[test]
fn columns_have_places() {
    let fields = |text: &str| Field::new(text, DataType::Int64, true);
    let items = DataType::Struct(vec![fields("b")].into());
    let schema = Schema::new(vec![
        fields("größe x"),
        Field::new(
            "s",
            DataType::Struct(vec![fields("a"), fields("null")].into()),
            true,
        ),
        Field::new(
            "l",
            DataType::List(Arc::new(Field::new("item", items, true))),
            true,
        ),
    ]);
    let text = "not (\"größe x\" between  s . a  and 3) or (s.null is null and l[1].b in (1))";
    let found = columns_in(text, &schema).unwrap_or_default();
    let found = found
        .iter()
        .map(|it| (&text[it.place.clone()], it.steps.concat()));
    let expected = [
        ("\"größe x\"", ".größe x"),
        ("s . a", ".s.a"),
        ("s.null", ".s.null"),
        ("l[1].b", ".l[1].b"),
    ];
    let expected = expected.map(|(text, steps)| (text, steps.to_owned()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}
