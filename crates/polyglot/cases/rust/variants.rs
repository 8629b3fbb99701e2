enum Color { Red, Rgb(u8, u8, u8) }
use Color::*;
use self::Color::Red as R;
impl Color { fn mix(&self) {} fn of() -> Color { Rgb(1, 2, 3) } }
fn go(c: Color) { match c { Red => 1, Rgb(r, ..) => r, Color::Red => 2 }; Color::Red.mix(); Rgb(0, 0, 0).mix(); R.mix(); }
