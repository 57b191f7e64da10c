//! Item embeddings: `embeddings.f16`, N × D little-endian half floats, row i − 1 for index i, no header.

use half::f16;

use super::items::ItemIndex;

/// The embeddings of a snapshot, widened to f32: N × D, row-major.
pub struct Embeddings {
    dim: usize,
    values: Vec<f32>,
}

impl Embeddings {
    /// Reads `count` embeddings of length `dim`.
    ///
    /// # Errors
    /// What was expected and what was found.
    pub fn parse(bytes: &[u8], count: usize, dim: usize) -> Result<Self, (String, String)> {
        let expected = count.saturating_mul(dim).saturating_mul(2);
        if bytes.len() != expected {
            let expected = format!("{expected} bytes ({count} items × {dim} × 2)");
            return Err((expected, format!("{} bytes", bytes.len())));
        }
        let (pairs, _) = bytes.as_chunks::<2>();
        let values: Vec<f32> = pairs.iter().map(|&pair| f16::from_le_bytes(pair).to_f32()).collect();
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => {
                Err(("finite numbers".into(), format!("another in row {}, column {}", at / dim, at % dim)))
            }
            None => Ok(Self { dim, values }),
        }
    }

    /// Embeddings from their values, N × `dim`, row-major.
    pub fn from_values(values: Vec<f32>, dim: usize) -> Self {
        Self { dim: dim.max(1), values }
    }

    /// Length of an embedding.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of embeddings.
    pub fn len(&self) -> usize {
        self.values.len() / self.dim
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The embedding of an item; empty when the index is outside the table.
    pub fn row(&self, index: ItemIndex) -> &[f32] {
        let start = index.place().saturating_mul(self.dim);
        self.values.get(start..start.saturating_add(self.dim)).unwrap_or_default()
    }

    /// Every embedding with its item's index, in order.
    pub fn rows(&self) -> impl Iterator<Item = (ItemIndex, &[f32])> {
        (1u32..).filter_map(ItemIndex::new).zip(self.values.chunks_exact(self.dim))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_size_and_a_number_that_is_none_are_refused() {
        let bytes: Vec<u8> =
            [1.0f32, 2.0, 3.0, 4.0].iter().flat_map(|&v| f16::from_f32(v).to_le_bytes()).collect();
        let read = Embeddings::parse(&bytes, 2, 2).ok().unwrap();
        assert_eq!(read.row(ItemIndex::new(2).unwrap()), [3.0, 4.0]);
        assert_eq!(read.row(ItemIndex::new(3).unwrap()), [0.0; 0]);
        assert_eq!(Embeddings::parse(&bytes, 3, 2).err().unwrap().1, "8 bytes");
        let nan = f16::NAN.to_le_bytes();
        assert!(Embeddings::parse(&nan, 1, 1).err().unwrap().1.contains("row 0"));
    }
}
