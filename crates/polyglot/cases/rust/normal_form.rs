fn arms(x: u8) -> u8 { match x { | 0 => { 1 } 1 => 2, 2 => { return 3; } 3 => { { 4 } }, _ => { x; 5 } } }
fn parens(a: u8) -> u8 { let b = (a); if ((a > b)) { return (a); } f((a), (a + b) * 2); return ((a)); }
fn closures() { let f = |x| { x }; let g = |x| -> u8 { x }; let h = |x,| { x; }; }
fn commas(a: u8,) -> (u8,) { g(a,); [1, 2,]; (a,) }
fn pair() -> (u8, u8,) { (1, 2,) }
fn empty() -> () { ;;; loop { break; } ; while true { continue } ; }
fn literals() { "a\"b"; r#"c"#; 'd'; b"e"; 0xFF_u8; 1.0e3; }
fn init(a: u8) { S { a, b: 1, }; S { a: a, b: 1 }; vec!(1, 2,); vec![1, 2]; }
fn comments(/* a */ b: u8 /* c */) { // d
    b // e
}
extern fn abi() {}
extern "C" fn abi2() {}
struct W<T>(T) where;
#[doc = "x"] #[inline] pub(in self) fn attr() {}
fn jump(x: u8) { if x > 1 { return } else { return; } }
fn else_block() { if a { 1 } else if b { 2 } else { 3 }; }
