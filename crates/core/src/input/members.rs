//! The members of a gzip file as one stream.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Bytes that any compressed input may give.
pub(super) const AT_LEAST: u64 = 64 << 20;
/// Bytes that it may give beyond that for each of its own: dumps have three to ten, and gzip makes at most a thousand of one.
const PER_BYTE: u64 = 64;

/// The members of a gzip file, one after the other (RFC 1952, 2.2). Zeros after the last one are the
/// padding of a block device, which gzip itself ignores. What few bytes make of themselves has a limit, which is one for all
/// commands.
pub(super) struct Members<R: BufRead> {
    member: Option<GzDecoder<CountedReader<R>>>,
    given: u64,
    at_least: u64,
    /// Whether the first member is all that is read.
    is_first: bool,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(source: R) -> Members<R> {
        Members {
            member: Some(GzDecoder::new(CountedReader { source, read: 0 })),
            given: 0,
            at_least: AT_LEAST,
            is_first: false,
        }
    }

    /// The first member alone.
    pub(super) fn first_only(source: R) -> Members<R> {
        Members { is_first: true, ..Members::new(source) }
    }

    #[cfg(test)]
    fn at_least(self, bytes: u64) -> Members<R> {
        Members { at_least: bytes, ..self }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            self.given += count as u64;
            let allowed = member.get_ref().read.saturating_mul(PER_BYTE).saturating_add(self.at_least);
            if self.given > allowed {
                return Err(too_much(allowed));
            }
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(mut source) = self.member.take().map(GzDecoder::into_inner).filter(|_| !self.is_first) else {
                break;
            };
            loop {
                let rest = source.fill_buf()?;
                let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
                if rest.is_empty() {
                    return Ok(0);
                }
                if zeros < rest.len() {
                    source.consume(zeros);
                    self.member = Some(GzDecoder::new(source));
                    break;
                }
                source.consume(zeros);
            }
        }
        Ok(0)
    }
}

/// The error of bytes that become too many. It is no damage: the bytes may be read once they are decompressed.
fn too_much(allowed: u64) -> io::Error {
    io::Error::other(format!(
        "more than {allowed} decompressed bytes, 64 for each compressed byte up to here and 64 MiB; decompress it into a file first, \
         which has no such limit"
    ))
}

/// A stream of which is known how much of it was read.
struct CountedReader<R> {
    source: R,
    read: u64,
}

impl<R: BufRead> Read for CountedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.read += count as u64;
        Ok(count)
    }
}

impl<R: BufRead> BufRead for CountedReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.read += count as u64;
        self.source.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn member(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        // A small buffer, so that members and padding end inside and between reads.
        Members::new(BufReader::with_capacity(7, bytes)).read_to_end(&mut all)?;
        Ok(all)
    }

    #[test]
    fn members_follow_one_another_and_padding_ends_them() {
        let two = [member(b"one "), member(b""), member(b"two")].concat();
        assert_eq!(read(&two).expect("whole"), b"one two");
        assert_eq!(read(&[&two[..], &[0; 100]].concat()).expect("padded"), b"one two");
        assert!(read(&[&two[..], b"garbage after"].concat()).is_err());
        for cut in member(b"one ").len()..two.len() {
            // Cut between two members, nothing is missing.
            let between = cut == member(b"one ").len() || cut == member(b"one ").len() + member(b"").len();
            assert_eq!(read(&two[..cut]).is_ok(), between, "cut at {cut}");
        }
    }

    #[test]
    fn refuses_few_bytes_that_are_very_many() {
        let zeros = vec![0; 1 << 20];
        let bomb = member(&zeros);
        assert!(bomb.len() < 12_000, "{} bytes", bomb.len());
        let read = |bytes: &[u8], at_least: u64| {
            let mut given = 0;
            let mut stream = Members::new(BufReader::with_capacity(64, bytes)).at_least(at_least);
            let ended = io::copy(&mut stream, &mut io::sink()).map(|count| given = count);
            (ended.map_err(|e| e.to_string()), given)
        };
        // 64 for each byte of the file, and what is allowed besides.
        let missing = zeros.len() as u64 - 64 * bomb.len() as u64;
        // The last bytes are given before what follows them is read.
        assert_eq!(read(&bomb, missing + 4096), (Ok(()), 1 << 20));
        let (refused, _) = read(&bomb, missing - 70_000);
        assert!(refused.is_err_and(|message| message.starts_with("more than ")));
        // In several members it is the same.
        let several = [member(&zeros[..1 << 19]), member(&zeros[..1 << 19])].concat();
        assert!(read(&several, 1 << 18).0.is_err());
        // Stored bytes are as many as they are.
        let mut stored = GzEncoder::new(Vec::new(), Compression::none());
        stored.write_all(&zeros).expect("memory");
        assert_eq!(read(&stored.finish().expect("memory"), 0), (Ok(()), 1 << 20));
    }
}
