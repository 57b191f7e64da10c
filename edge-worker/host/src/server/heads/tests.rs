use super::{Head, Heads, Reader};

/// The heads read from `text`, whole and byte by byte: the same.
fn heads(text: &str) -> Vec<Head> {
    let whole = Heads::default();
    Reader::default().read(text.as_bytes(), &whole);
    let pieces = Heads::default();
    let mut reader = Reader::default();
    text.as_bytes().chunks(1).for_each(|piece| reader.read(piece, &pieces));
    let (whole, pieces) = (whole.0.into_inner().unwrap(), pieces.0.into_inner().unwrap());
    assert_eq!(whole, pieces, "{text:?}");
    whole.into()
}

#[test]
fn a_head_is_found_behind_a_body_of_known_length() {
    let post = "POST / HTTP/1.1\r\nContent-Length: 17\r\n\r\nGET /#x HTTP/1.1\n";
    let get = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
    assert_eq!(heads(&format!("{post}\r\n{get}{get}")), [Head::Sound; 3]);
}

#[test]
fn a_fragment_or_a_bare_line_feed_is_odd() {
    for text in [
        "GET /a#b HTTP/1.1\r\nhost: a\r\n\r\n",
        "GET # HTTP/1.1\r\n\r\n",
        "GET /a HTTP/1.1\nhost: a\r\n\r\n",
        "GET /a HTTP/1.1\r\nhost: a\n\r\n",
        "GET /a HTTP/1.1\r\nhost: a\r\n\n",
        "GET /a HTTP/1.1\n\n",
    ] {
        assert_eq!(heads(text), [Head::Odd], "{text:?}");
    }
    assert_eq!(heads("GET / HTTP/1.1\r\nx: #\r\n\r\n"), [Head::Sound]);
}

#[test]
fn a_length_beside_chunks_is_odd() {
    for header in [
        "Transfer-Encoding:chunked\r\ncontent-length: 3\r\n",
        "content-length: 3\r\ntransfer-encoding: x\r\n",
        "content-length: 0\r\nx: y\r\nTRANSFER-ENCODING: chunked\r\n",
    ] {
        let text = format!("POST / HTTP/1.1\r\n{header}\r\nGET / HTTP/1.1\r\n\r\n");
        assert_eq!(heads(&text), [Head::Odd], "{header:?}");
    }
}

#[test]
fn a_body_of_unclear_length_is_the_last() {
    for header in [
        "transfer-encoding: chunked\r\n",
        "content-length: 3\r\ncontent-length: 3\r\n",
        "content-length: 3, 3\r\n",
        "content-length: +3\r\n",
        "content-length:\r\n",
        "content-length: 99999999999999999999999\r\n",
    ] {
        let text = format!("POST / HTTP/1.1\r\n{header}\r\nGET / HTTP/1.1\r\n\r\n");
        assert_eq!(heads(&text), [Head::Last], "{header:?}");
    }
}
