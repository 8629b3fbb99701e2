use std::sync::Arc;

use crate::{disk::Disk, layout::Layout, pack::BlockCache};

#[derive(Debug)]
pub struct Cache {}

impl Cache {
    pub(crate) fn new(_disk: Arc<dyn Disk>, _layout: Layout, _blocks: Arc<BlockCache>, _limit: u64) -> Self {
        Self {}
    }
}
