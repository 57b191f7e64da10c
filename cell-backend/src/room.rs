//! Blocking calls, bounded.
//!
//! A call on a blocking thread cannot be given up: a caller that no longer waits leaves it behind. So it is the call
//! that holds its place, to its end, and whoever finds no place waits on the async side, where giving up is free. A
//! disk that hangs thus costs as many threads as there are places and no more.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Room for a bounded number of blocking calls at once.
#[derive(Clone, Debug)]
pub struct Room {
    places: Arc<Semaphore>,
}

/// The call gave nothing: it panicked, or the process is stopping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

impl Room {
    /// Room for `places` calls.
    pub fn of(places: u32) -> Self {
        Self { places: Arc::new(Semaphore::new(places as usize)) }
    }

    /// Runs `call` once there is a place. Dropping the future before that means that it never runs.
    ///
    /// # Errors
    /// [`Gone`].
    pub async fn run<T: Send + 'static>(&self, call: impl FnOnce() -> T + Send + 'static) -> Result<T, Gone> {
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| Gone)?;
        let run = tokio::task::spawn_blocking(move || {
            let result = call();
            drop(place);
            result
        });
        run.await.map_err(|_| Gone)
    }

    /// Places that are free.
    pub fn free(&self) -> usize {
        self.places.available_permits()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn calls_that_hang_keep_their_places_and_take_no_more() {
        let room = Room::of(2);
        let (release, hang) = sync_channel::<()>(0);
        let hang = Arc::new(std::sync::Mutex::new(hang));
        for _ in 0..6 {
            let hang = Arc::clone(&hang);
            let call = room.run(move || drop(hang.lock().map(|hang| hang.recv())));
            assert!(tokio::time::timeout(Duration::from_millis(2), call).await.is_err());
        }
        assert_eq!(room.free(), 0);
        drop(release);
        assert_eq!(room.run(|| 7).await, Ok(7), "there is room again once they have ended");
        assert_eq!(room.run(|| panic!("a call's own mistake")).await, Err::<(), _>(Gone));
        assert_eq!(room.free(), 2);
    }
}
