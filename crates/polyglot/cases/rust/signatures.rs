//! What belongs to a signature: types, and attributes that say how to use a thing.

#[derive(Clone, serde::Serialize)]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
#[non_exhaustive]
pub struct Grid<'a, T: Copy, const N: usize> {
    cells: &'a [[T; N]],
}

#[derive(Debug)]
struct Hidden;

impl Default for Hidden {
    fn default() -> Self {
        Hidden
    }
}

impl From<Hidden> for u8 {
    fn from(_: Hidden) -> u8 {
        0
    }
}

impl<'a, T: Copy, const N: usize> Grid<'a, T, N> {
    #[inline]
    #[cfg(feature = "std")]
    #[doc(alias = "at")]
    pub fn get(mut self, mut row: usize, (column, _): (usize, u8)) -> T {
        row += column;
        self.cells = &self.cells[row..];
        self.cells[0][column]
    }

    pub fn set(&mut self, r#type: &mut T) {}
}
