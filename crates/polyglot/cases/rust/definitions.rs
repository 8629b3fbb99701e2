//! Shapes and what one does with them.
//! More.
use std::fmt;

/// A point.
///
/// Of the plane.
#[derive(Debug)]
#[derive(Clone, Copy,)]
pub struct Point<T = i32> where T: Copy, {
    /// across
    pub x: T,
    y: T,
}
pub struct Pair(pub u8, Point);
struct Unit;
union Bits { float: f32, word: u32 }
pub(crate) enum Shape { Dot(Point), Line { from: Point, to: Point }, Empty = 3 }
pub type Points = Vec<Point>;
pub(in crate) const ORIGIN: Point = Point { x: 0, y: 0 };
static mut COUNT: usize = 1 + (2);
macro_rules! square {
    ($x:expr) => ($x * $x);
    ($x:expr, $($rest:tt)*) => { $crate::definitions::area($x) };
}
pub(crate) use square;
pub fn area(side: u32) -> u32 { square!(side) }
extern { fn abs(value: i32) -> i32; static ERRNO: i32; }
pub async unsafe fn wait<'a, T: fmt::Debug + 'a>(value: &'a T,) -> () where T: Clone { }
thread_local! { static SEEN: u8 = 1; }
mod inner { pub(super) fn helper() {} pub struct Point; impl Point { pub fn new() -> Self { Point } } }
const _: () = ();
