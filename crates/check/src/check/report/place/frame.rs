//! Parts of frames that all languages have.

/// The file's name without its folders, which are a machine's.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A path with a line number after it, and perhaps a column: `a.c:4`, `a.c:4:12`.
pub(super) fn has_line_number(place: &str) -> bool {
    place.rsplit_once(':').is_some_and(|(path, number)| !path.is_empty() && is_number(number))
}

/// A path with a line number and a column after it.
pub(super) fn has_column(place: &str) -> bool {
    place.rsplit_once(':').is_some_and(|(before, column)| is_number(column) && has_line_number(before))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}
