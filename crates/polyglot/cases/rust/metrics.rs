fn flat() { a(); b(); }
fn nested(x: u8) { if x > 1 { for _ in 0..x { while true { loop {} } } } else if x == 0 { } }
fn matching(x: u8) { match x { 0 => {} 1 => { if true {} } _ => (), } }
fn closure() { let f = |x| { if x { 1 } else { 2 } }; let Some(y) = z else { return }; }
fn outer() { fn inner() { if true {} } }
