//! Pages for a browser: one file each that needs nothing else, no network and no JavaScript to be read.
//!
//! Templates escape every text. A page names the digests of its own style and script, so that a browser runs nothing
//! else even if something slipped through.

pub mod bytes;
mod rule;

use std::borrow::Cow;
use std::fmt;

use askama::filters::{Escaper, Html};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::visible::visible;

#[doc(hidden)]
pub use rule::RuleDescription;

/// A style or script that stands inline in a page, and its digest in the page's policy.
#[derive(Debug)]
#[doc(hidden)]
pub struct Inline {
    /// Its text.
    pub content: String,
    /// Its SHA-256, as a policy of contents names it.
    pub digest: String,
}

impl Inline {
    /// A style: what all pages have in common, and the page's own.
    #[doc(hidden)]
    pub fn style(own: &str) -> Inline {
        Inline::new(format!("{STYLE}{own}"))
    }

    /// A script.
    #[doc(hidden)]
    pub fn script(own: &str) -> Inline {
        Inline::new(own.to_owned())
    }

    fn new(content: String) -> Inline {
        let digest = format!("sha256-{}", STANDARD.encode(Sha256::digest(content.as_bytes())));
        Inline { content, digest }
    }
}

/// Colours and what is spelled alike in every page.
const STYLE: &str = include_str!("style.css");

/// Escapes every text of the templates; hidden characters are spelled out, so that none turns the direction
/// of text round.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct TextEscaper;

impl Escaper for TextEscaper {
    fn write_escaped_str<W: fmt::Write>(&self, out: W, text: &str) -> fmt::Result {
        Html.write_escaped_str(out, &visible(text))
    }
}

/// A text of at most `most` characters; an ellipsis stands for the rest.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shortened_between_characters() {
        assert_eq!(shortened("a𝄞b𝄞", 2), "a𝄞…");
        assert_eq!(shortened("a𝄞", 2), "a𝄞");
    }

    #[test]
    fn a_text_is_escaped_and_what_is_hidden_is_spelled_out() {
        let mut escaped = String::new();
        TextEscaper.write_escaped_str(&mut escaped, "<b>\u{202e}&").expect("a string takes all");
        assert_eq!(escaped, "&#60;b&#62;\\u202e&#38;");
    }
}
