use std::path::Path;

use crate::{
    Error, Hash,
    disk::Disk,
    pack::{Pack, Purpose, TRAILER_LEN},
};

/// Succeeds if the pack at `path` is whole: the file's name, the trailer and all bytes
/// before it agree.
pub(crate) fn check_pack(disk: &dyn Disk, path: &Path, name: Hash, purpose: Purpose) -> Result<(), Error> {
    let pack = Pack::open(disk, path, name, purpose)?;
    let found = pack.hash_body()?;
    if found != pack.body_hash {
        return Err(Error::corrupt(
            path,
            pack.len - TRAILER_LEN as u64,
            format!("{} before", pack.body_hash),
            found.to_string(),
        ));
    }
    Ok(())
}
