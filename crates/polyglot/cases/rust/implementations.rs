use std::convert::From;
pub struct Meters(f64);
impl From<f64> for Meters { fn from(v: f64) -> Self { Meters(v) } }
impl From<Meters> for f64 { fn from(m: Meters) -> f64 { m.0 } }
impl<T> PartialEq<T> for Meters where T: Into<f64> + Copy, { fn eq(&self, other: &T) -> bool { self.0 == (*other).into() } }
impl<'a> IntoIterator for &'a Meters { type Item = f64; type IntoIter = std::iter::Once<f64>; fn into_iter(self) -> Self::IntoIter { std::iter::once(self.0) } }
unsafe impl Send for Meters {}
impl Drop for Meters { fn drop(&mut self) { self.log() } }
impl Meters { fn log(&self) {} }
