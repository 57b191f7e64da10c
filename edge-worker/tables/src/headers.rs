//! Headers that every answer of the edge carries.

/// CORS is fixed (fetch standard, section 3.2): anybody may ask, nobody with credentials, nothing is reflected. The
/// exposed names are all a script may read beyond the safelisted ones.
pub const FIXED_HEADERS: [(&str, &str); 3] = [
    ("access-control-allow-origin", "*"),
    ("access-control-expose-headers", "domicile-outcome, retry-after, etag"),
    ("x-content-type-options", "nosniff"),
];
