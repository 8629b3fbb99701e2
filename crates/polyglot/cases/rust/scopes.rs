fn value() -> u8 { 1 }
fn shadowed(value: u8) -> u8 { value }
fn local() { let value = value(); { let value = value; value; } value }
fn closure() { let f = |value| value + 1; f(2); value(); (|value: u8| { value })(3); }
fn patterns(x: Option<u8>) {
    match x { Some(value) if value > 1 => value, Some(_) => value(), None => 0 };
    if let Some(value) = x { value; } else { value(); }
    while let Some(ref value) = x { value; }
    for value in 0..3 { value; }
    let Some(value) = x else { return value(); };
    let [value, ..] = [1];
    let (value, _) = (1, 2);
    value;
}
fn items() {
    use std::fs as disk;
    const VALUE: u8 = 3;
    fn value() -> u8 { VALUE }
    struct Local { a: u8 }
    impl Local { fn go(&self) { value(); } }
    let l = Local { a: value() };
    l.go();
    disk::read("x");
}
fn generic<T>(t: T) -> T { t }
struct T;
fn macros(a: u8) { println!("{} {}", a, value()); assert_eq!(value(), vec![value(); 2].len() as u8); matches!(a, VALUE | 2); dsl! { a => value() } }
