//! The members of a gzip file as one stream.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// The members of a gzip file, one after the other (RFC 1952, 2.2). Zeros after the last one are the
/// padding of a block device, which gzip itself ignores.
pub(super) struct Members<R: BufRead> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(source: R) -> Members<R> {
        Members { member: Some(GzDecoder::new(source)) }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(mut source) = self.member.take().map(GzDecoder::into_inner) else { break };
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
}
