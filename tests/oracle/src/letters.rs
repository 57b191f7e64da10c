//! Base64 by counting bits (RFC 4648, sections 4 and 5).

/// The letters of the form that URLs take, in order.
const OF_URLS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The bytes that a text of URL letters stands for; none when a letter is not one of them, when a lone letter is left,
/// or when bits are left over that are not zero: then another text stands for the same bytes.
#[must_use]
pub fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let mut bits = Vec::new();
    for letter in text.chars() {
        let value = OF_URLS.chars().position(|known| known == letter)?;
        bits.extend((0..6).rev().map(|bit| value >> bit & 1 == 1));
    }
    let whole = bits.len() / 8 * 8;
    let left = bits.split_off(whole);
    if left.len() >= 6 || left.contains(&true) {
        return None;
    }
    Some(bits.chunks(8).map(|byte| byte.iter().fold(0, |value, &bit| value << 1 | u8::from(bit))).collect())
}

/// The text of URL letters for bytes, without padding.
#[must_use]
pub fn text_of(bytes: &[u8]) -> String {
    let mut bits: Vec<bool> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect();
    bits.resize(bits.len().next_multiple_of(6), false);
    let letter = |six: &[bool]| six.iter().fold(0, |value, &bit| value << 1 | usize::from(bit));
    bits.chunks(6).filter_map(|six| OF_URLS.chars().nth(letter(six))).collect()
}

#[cfg(test)]
mod tests {
    use super::{bytes_of, text_of};

    #[test]
    fn the_vectors_of_the_rfc() {
        for (bytes, text) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")] {
            assert_eq!((text_of(bytes.as_bytes()).as_str(), bytes_of(text)), (text, Some(bytes.into())));
        }
        assert_eq!(
            [bytes_of("Zh"), bytes_of("Z"), bytes_of("Zg=="), bytes_of("Zm9+")],
            [None, None, None, None]
        );
    }
}
