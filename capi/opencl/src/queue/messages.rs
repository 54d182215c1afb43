//! Messages under way: commands that send and receive, and requests of the program's that became events.
//!
//! Whoever makes such a command ready begins it, with the buffer's own bytes. What is not done at once is tested by one
//! thread, the *postman*, which rests between tests, longer the longer nothing happens. It is made for the first message, sleeps
//! while there are none, and never runs a command: what is ready after a message goes to the workers.
//!
//! Invariant: no message is begun before the postman is there, so none is forgotten.
//! Source: MPI 3.1, 3.7 (nonblocking communication), 12.4 (threads).
#![allow(unsafe_code)]

use super::command::Work;
use super::outside::Completion;
use crate::error::{Error, Result};
use crate::os::mpi::{Letter, Mpi, rest_precisely};
use crate::os::process::start_thread;
use opencl_sys::CL_OUT_OF_RESOURCES;
use smallvec::SmallVec;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A command that sends, receives, or both.
pub struct Message {
    pub mpi: Mpi,
    pub communicator: u64,
    pub sends: Option<Letter>,
    pub receives: Option<Letter>,
}

type Requests = SmallVec<[u64; 2]>;

/// One that has begun.
struct Flight {
    completion: Completion,
    requests: Requests,
    /// Of the requests that are done, and of one that could not be begun.
    outcome: Result,
}

struct Post {
    /// What the postman has not seen.
    new: Vec<Flight>,
    /// The process that has one: a forked child has none.
    process: Option<u32>,
}

static POST: Mutex<Post> = Mutex::new(Post { new: Vec::new(), process: None });
static ARRIVED: Condvar = Condvar::new();

fn post() -> MutexGuard<'static, Post> {
    POST.lock().unwrap_or_else(|held| held.into_inner())
}

impl Message {
    pub fn work(self) -> Work {
        Work::Outside(Some(Box::new(move |completion| match self.begin() {
            Ok((requests, outcome)) => dispatch(self.mpi, completion, requests, outcome),
            Err(error) => Some((completion, Err(error))),
        })))
    }

    /// The requests, and whether one of two could not be begun.
    fn begin(&self) -> Result<(Requests, Result)> {
        ensure_postman()?;
        let Message { mpi, communicator, sends, receives } = self;
        let mut requests = Requests::new();
        if let Some(letter) = sends {
            // SAFETY: the entry points checked that the bytes lie in a memory object, which the command keeps.
            requests.push(unsafe { mpi.send(letter, *communicator) }?);
        }
        if let Some(letter) = receives {
            // SAFETY: as above.
            match unsafe { mpi.receive(letter, *communicator) } {
                Ok(request) => requests.push(request),
                Err(error) if requests.is_empty() => return Err(error),
                Err(error) => return Ok((requests, Err(error))),
            }
        }
        Ok((requests, Ok(())))
    }
}

/// The work of an event that completes with a request.
pub fn request(mpi: Mpi, request: u64) -> Work {
    Work::Outside(Some(Box::new(move |completion| match ensure_postman() {
        Ok(()) => dispatch(mpi, completion, SmallVec::from_slice(&[request]), Ok(())),
        Err(error) => Some((completion, Err(error))),
    })))
}

/// Gives what has begun to the postman, or its completion back if it is done already.
fn dispatch(
    mpi: Mpi,
    completion: Completion,
    requests: Requests,
    outcome: Result,
) -> Option<(Completion, Result)> {
    let mut flight = Flight { completion, requests, outcome };
    let mut requests = flight.requests.clone();
    let found = mpi.test(&mut requests);
    if flight.is_over(&mut requests.into_iter().zip(found)) {
        return Some((flight.completion, flight.outcome));
    }
    post().new.push(flight);
    ARRIVED.notify_one();
    None
}

impl Flight {
    /// Takes what was found of its requests, the next ones of `found`.
    fn is_over(&mut self, found: &mut impl Iterator<Item = (u64, Option<Result>)>) -> bool {
        let count = self.requests.len();
        self.requests.clear();
        for (request, ended) in found.take(count) {
            match ended {
                None => self.requests.push(request),
                Some(outcome) => self.outcome = self.outcome.and(outcome),
            }
        }
        self.requests.is_empty()
    }
}

fn ensure_postman() -> Result {
    let (mut post, process) = (post(), std::process::id());
    if post.process != Some(process) {
        start_thread("vicinity-post", carry_messages).map_err(|_| Error(CL_OUT_OF_RESOURCES))?;
        post.process = Some(process);
    }
    Ok(())
}

/// What the postman does.
fn carry_messages() {
    rest_precisely();
    let mut flights = Vec::new();
    let mut since = Instant::now();
    loop {
        if take_in(&mut flights, pause(since.elapsed())) {
            since = Instant::now();
        }
        if deliver(&mut flights) {
            since = Instant::now();
        }
    }
}

/// How long to rest if nothing has happened for so long: at first not at all, then a part of it.
fn pause(idle: Duration) -> Duration {
    const AWAKE: Duration = Duration::from_micros(20);
    const LONGEST: Duration = Duration::from_micros(200);
    match idle < AWAKE {
        true => Duration::ZERO,
        false => (idle / 8).clamp(AWAKE / 4, LONGEST),
    }
}

/// Adds what is new, which may come during the pause; without messages until there are some. Whether there were.
fn take_in(flights: &mut Vec<Flight>, pause: Duration) -> bool {
    let mut post = post();
    if flights.is_empty() {
        let nothing = |post: &mut Post| post.new.is_empty();
        post = ARRIVED.wait_while(post, nothing).unwrap_or_else(|held| held.into_inner());
    } else if post.new.is_empty() {
        if pause.is_zero() {
            drop(post);
            std::thread::yield_now();
            return false;
        }
        let rested = ARRIVED.wait_timeout(post, pause);
        post = rested.unwrap_or_else(|held| held.into_inner()).0;
    }
    let before = flights.len();
    flights.append(&mut post.new);
    flights.len() > before
}

/// Ends those that are over; whether any request is.
fn deliver(flights: &mut Vec<Flight>) -> bool {
    let Some(mpi) = Mpi::known() else { return false };
    let mut requests: Vec<u64> =
        flights.iter().flat_map(|flight| flight.requests.iter().copied()).collect();
    let found = mpi.test(&mut requests);
    let happened = found.iter().any(Option::is_some);
    let mut found = requests.into_iter().zip(found);
    let over: Vec<Flight> = flights.extract_if(.., |flight| flight.is_over(&mut found)).collect();
    over.into_iter().for_each(|flight| flight.completion.end(flight.outcome));
    happened
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_with_what_has_been_waited() {
        let pauses = [0, 19, 20, 80, 800, 1_000_000].map(Duration::from_micros).map(pause);
        assert_eq!(pauses, [0, 0, 5, 10, 100, 200].map(Duration::from_micros));
    }
}
