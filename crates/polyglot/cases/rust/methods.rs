use std::fmt::{self, Display};
pub struct Counter { step: Step, count: u32 }
struct Step(u32);
impl Step { fn size(&self) -> u32 { self.0 } }
impl Counter {
    pub const START: u32 = 1;
    /// Makes one.
    ///
    /// ```
    /// let c = Counter::new();
    /// ```
    pub fn new() -> Self { Self { step: Step(1), count: Self::START } }
    pub fn next(&mut self) -> u32 { self.advance(); self.step.size() + self.count() }
    fn advance(&mut self) { self.count += self.step.0; }
    fn count(&self) -> u32 { self.count }
    #[deprecated]
    pub fn twice(self) -> Counter { let mut c = Counter::new(); c.advance(); c }
}
impl Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.count()) }
}
impl Iterator for Counter {
    type Item = Step;
    fn next(&mut self) -> Option<Self::Item> { self.next(); None }
}
pub fn use_it() {
    let mut counter = Counter::new().twice();
    counter.next();
    let other: Counter = make();
    other.advance();
    unknown().advance();
}
fn make() -> Counter { Counter::new() }
