//! Seeing how far the reading of an input is.

use std::fmt;
use std::io::Read;
use std::sync::Arc;

/// A function that each stream of an input passes through: to show progress, say.
#[derive(Clone)]
pub struct Watch(Arc<WrapStream>);

type WrapStream = dyn Fn(&str, Option<u64>, Box<dyn Read>) -> Box<dyn Read> + Send + Sync;

impl Watch {
    /// `through` gets the input's name, its length in bytes where that is known (of a compressed input, the compressed ones)
    /// and the bytes from the start, and gives the same bytes.
    pub fn new(through: impl Fn(&str, Option<u64>, Box<dyn Read>) -> Box<dyn Read> + Send + Sync + 'static) -> Watch {
        Watch(Arc::new(through))
    }

    pub(super) fn wrap(&self, name: &str, length: Option<u64>, source: Box<dyn Read>) -> Box<dyn Read> {
        (self.0)(name, length, source)
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}
