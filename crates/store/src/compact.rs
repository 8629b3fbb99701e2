use crate::{Error, Store};

impl Store {
    pub(crate) fn compact_if_due(&self) -> Result<(), Error> {
        Ok(())
    }
}
