//! Dumps inside gzip, stored and not deflated, so that the bytes do not depend on a compressor.

use flate2::Crc;

/// Bytes in members of some size, the first one with a comment.
pub(crate) fn chain(bytes: &[u8], size: usize, comment: Option<&str>) -> Vec<u8> {
    let members = bytes.chunks(size).enumerate().map(|(n, chunk)| member(chunk, comment.filter(|_| n == 0)));
    members.collect::<Vec<_>>().concat()
}

/// A gzip member (RFC 1952, 2.3) of stored blocks (RFC 1951, 3.2.4).
pub(crate) fn member(bytes: &[u8], comment: Option<&str>) -> Vec<u8> {
    let has_comment = if comment.is_some() { 0x10 } else { 0 };
    let mut member = vec![0x1f, 0x8b, 8, has_comment, 0, 0, 0, 0, 0, 0xff];
    if let Some(comment) = comment {
        member.extend(comment.as_bytes());
        member.push(0);
    }
    let mut blocks = bytes.chunks(0xffff).peekable();
    if blocks.peek().is_none() {
        member.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        member.push(u8::from(blocks.peek().is_none()));
        member.extend(length.to_le_bytes());
        member.extend((!length).to_le_bytes());
        member.extend(block);
    }
    let mut crc = Crc::new();
    crc.update(bytes);
    member.extend(crc.sum().to_le_bytes());
    member.extend(crc.amount().to_le_bytes());
    member
}
