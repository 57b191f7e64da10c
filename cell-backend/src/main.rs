//! One complete serving unit: gateway, features, retrieval, ranking, fallbacks.

fn main() {}
