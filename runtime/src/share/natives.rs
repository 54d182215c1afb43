//! How many threads the regions of the program's further threads have, where processors are shared.
//!
//! A program that starts threads of its own, each of which starts regions, has as many threads as the product of both. A region
//! without a `num_threads` clause gets fewer when it begins; but libraries such as OpenBLAS ask `omp_get_max_threads` and then demand
//! that many. What a thread is told there must hold for all its regions to come, so it is settled when the thread first comes here: its
//! part of the processors, among the threads that the program has then. Its first thread has all of them: mostly it waits
//! for the others.
//!
//! Source: OpenMP 5.2 section 2.2 (nthreads-var of an initial task is implementation defined).

use crate::global;
use crate::icv::Icvs;
use crate::process_lock::ProcessLock;
use crate::team::pool;
use vicinity_alloc::os::process;
use vicinity_policy::share;

/// Control variables that were given out, one for each number of threads. They stay.
pub(crate) static GIVEN: ProcessLock<Vec<&'static Icvs>> = ProcessLock::new(Vec::new());

/// The control variables of the calling thread, which comes here for the first time, if they are other than those of the
/// first thread.
pub fn initial_icvs() -> Option<&'static Icvs> {
    super::get()?;
    let all = global::initial_icvs();
    let threads = process::threads().filter(|_| !process::is_first_thread())?;
    let natives = threads.saturating_sub(pool::living());
    let num_threads = share::native_threads(all.num_threads, global::processors(), natives);
    if num_threads == all.num_threads {
        return None;
    }
    let mut given = GIVEN.lock();
    let known = given.iter().copied().find(|icvs| icvs.num_threads == num_threads);
    Some(known.unwrap_or_else(|| {
        let icvs: &'static Icvs = Box::leak(Box::new(Icvs { num_threads, ..all.clone() }));
        given.push(icvs);
        icvs
    }))
}
