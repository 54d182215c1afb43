//! `Fiber`: a stack, with what its thread was doing on it; `Here`: a thread's fibers.
//!
//! The switching itself is corosensei's. A fiber runs one task after another, and its stack is kept between them.
//!
//! A thread has some state beside its stack that belongs to what runs there (`Context`): it is exchanged with every switch.

use super::exceptions::{self, Words};
use super::order::{self, Waited};
use super::pause::Pause;
use crate::private::Private;
use crate::task::record::TaskRef;
use crate::task::run;
use crate::team::Member;
use crate::thread::{Thread, stack};
use crate::{global, trace};
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, Yielder};
use std::collections::VecDeque;
use std::io::Error;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

type Switch = Yielder<(), ()>;

/// What a fiber waits for.
#[derive(Clone, Copy)]
enum Wait {
    /// It is running, or runs no task.
    Nothing,
    /// Owner: looks at it. It is on the fiber's stack, which stays as it is.
    Condition(*const dyn Fn() -> bool),
    /// Until its thread comes to it again.
    Turn,
    Pause(*const Pause),
}

pub struct Fiber {
    home: &'static Thread,
    coroutine: Private<Option<Coroutine<(), (), (), DefaultStack>>>,
    /// Leads back to the own stack; the coroutine sets it.
    switch: Private<*const Switch>,
    /// What it runs; none between tasks.
    task: Private<Option<TaskRef>>,
    wait: Private<Wait>,
    context: Private<Context>,
    /// Below it no task begins on top of another.
    floor: usize,
    /// The member at which its thread sat when its task began.
    member: Private<Option<&'static Member>>,
    /// What it had open in the trace when its thread left it.
    events: Private<Vec<trace::SetAside>>,
    /// Of the fibers in `Here::ended`.
    next: AtomicPtr<Fiber>,
}

/// What a thread's fields hold while it is on some stack.
#[derive(Default)]
struct Context {
    member: Option<&'static Member>,
    task: Option<TaskRef>,
    piled_up: u32,
    error: i32,
    exceptions: Words,
}

impl Context {
    /// Exchanges this for what `thread` has.
    fn exchange(&mut self, thread: &'static Thread) {
        let mine = (thread.member(), thread.task(), thread.piled_up.get());
        self.member.replace(mine.0).inspect(|&member| thread.set_member(member));
        self.task.replace(mine.1).inspect(|&task| thread.set_task(task));
        thread.piled_up.set(std::mem::replace(&mut self.piled_up, mine.2));
        // SAFETY: the calling thread's own errno.
        std::mem::swap(&mut self.error, unsafe { &mut *libc::__errno_location() });
        exceptions::exchange(&mut self.exceptions);
    }
}

impl Fiber {
    /// A fiber on a new stack, as large as those of threads.
    fn new(home: &'static Thread) -> Result<&'static Fiber, Error> {
        let stack = DefaultStack::new(global::stack_bytes())?;
        let (low, high) = (stack.limit().get(), stack.base().get());
        // SAFETY: the stack's own memory. Little of it is used, so pages are to be small; a failure costs memory alone.
        unsafe { libc::madvise(low as *mut libc::c_void, high - low, libc::MADV_NOHUGEPAGE) };
        let fiber: &'static Fiber = Box::leak(Box::new(Fiber {
            home,
            coroutine: Private::new(None),
            switch: Private::new(std::ptr::null()),
            task: Private::new(None),
            wait: Private::new(Wait::Nothing),
            context: Private::default(),
            floor: low + (high - low) / 2,
            member: Private::new(None),
            events: Private::default(),
            next: AtomicPtr::default(),
        }));
        fiber.coroutine.set(Some(Coroutine::with_stack(stack, |switch, ()| fiber.live(switch))));
        Ok(fiber)
    }

    /// What happens on the fiber's stack.
    fn live(&'static self, switch: &Switch) {
        self.switch.set(switch);
        loop {
            if let Some(task) = self.task.get() {
                run::execute(self.home, task);
                self.task.set(None);
            }
            switch.suspend(());
        }
    }

    /// Whether the thread sits where it sat when the fiber's task began.
    pub fn is_home(&self, thread: &Thread) -> bool {
        self.member.get().is_some_and(|member| std::ptr::eq(member, thread.member()))
    }

    /// Whether another task may begin on top of what runs here.
    pub fn has_room(&self) -> bool {
        stack::here() > self.floor
    }

    /// The function of the task that waits here, if others than tasks of this process may end its wait: a message, or what a
    /// task that yields looks at.
    fn waits_for_a_message(&self) -> Option<usize> {
        let task = self.context.with(|context| context.task);
        let is_for_a_message = matches!(self.wait.get(), Wait::Turn | Wait::Pause(_));
        task.filter(|_| is_for_a_message).map(|task| task.entry())
    }

    /// From the own stack: runs a task here, until it ends or is set aside.
    pub fn begin(&'static self, task: TaskRef) {
        let member = self.home.member();
        self.member.set(Some(member));
        self.task.set(Some(task));
        // The thread's current task may be gone before this one.
        let around = TaskRef::implicit(&member.implicit);
        self.context.set(Context {
            member: Some(member),
            task: Some(around),
            ..Context::default()
        });
        self.enter();
    }

    /// From the own stack: goes on here, until the task ends or waits again.
    fn enter(&'static self) {
        let here = &self.home.aside;
        debug_assert!(here.fiber().is_none(), "fibers are entered from the own stack");
        self.wait.set(Wait::Nothing);
        here.current.set(Some(self));
        let depth = trace::depth(self.home);
        trace::taken_up(self.home, self.events.replace(Vec::new()));
        self.context.with(|context| context.exchange(self.home));
        self.coroutine.with(|coroutine| coroutine.as_mut().map(|coroutine| coroutine.resume(())));
        self.context.with(|context| context.exchange(self.home));
        self.events.set(trace::set_aside(self.home, depth));
        here.current.set(None);
        here.keep(self);
    }

    /// On this fiber: leaves it, and returns when `condition` has said yes.
    pub fn leave_until(&self, condition: &dyn Fn() -> bool) {
        // SAFETY: lengthens the life of a reference that is used until this function goes on, and no longer.
        let condition = unsafe {
            std::mem::transmute::<*const (dyn Fn() -> bool + '_), *const (dyn Fn() -> bool + 'static)>(
                condition,
            )
        };
        self.leave(Wait::Condition(condition));
    }

    /// On this fiber: leaves it, and returns when its thread comes to it again.
    pub fn leave_for_a_turn(&self) {
        self.leave(Wait::Turn);
    }

    /// On this fiber: leaves it, and returns when the pause has ended.
    pub fn leave_for(&self, pause: &Pause) {
        self.leave(Wait::Pause(pause));
    }

    fn leave(&self, wait: Wait) {
        self.wait.set(wait);
        // SAFETY: the coroutine has set it, and lives for ever.
        unsafe { &*self.switch.get() }.suspend(());
    }

    /// Any thread: the pause has ended that this fiber waits for.
    pub fn has_ended(&'static self) {
        let list = &self.home.aside.ended;
        let mut first = list.load(Ordering::Relaxed);
        loop {
            self.next.store(first, Ordering::Relaxed);
            let this = std::ptr::from_ref(self).cast_mut();
            // Release: pairs with the Acquire in `Here::go_on`.
            match list.compare_exchange_weak(first, this, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => first = now,
            }
        }
    }
}

/// A thread's fibers. Owner: the thread, but for `ended`.
#[derive(Default)]
pub struct Here {
    /// The one that the thread is on; none: the own stack.
    current: Private<Option<&'static Fiber>>,
    vacant: Private<Vec<&'static Fiber>>,
    /// Those that wait for a condition, in the order in which they are asked.
    conditional: Private<VecDeque<&'static Fiber>>,
    /// Those whose pause has ended, the oldest first.
    ready: Private<VecDeque<&'static Fiber>>,
    count: Private<u32>,
    /// When it last began one more than it had room for (`order::may_exceed`).
    pub exceeded_ticks: Private<u64>,
    /// What they are tasks of.
    pub waited: Private<Waited>,
    /// Others push: those whose pause has ended, the newest first.
    ended: AtomicPtr<Fiber>,
    /// How often a task was set aside: for tests. Relaxed: a count.
    pub times: AtomicU32,
}

impl Here {
    #[inline(always)]
    pub fn fiber(&self) -> Option<&'static Fiber> {
        self.current.get()
    }

    /// How many tasks are set aside here.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.count.get()
    }

    /// A fiber without a task; none if there is no memory for one.
    pub fn vacant(&self, thread: &'static Thread) -> Option<&'static Fiber> {
        let vacant = self.vacant.with(Vec::pop);
        vacant.or_else(|| Fiber::new(thread).inspect_err(super::complain).ok())
    }

    /// The thread has left a fiber.
    fn keep(&self, fiber: &'static Fiber) {
        if fiber.task.get().is_none() {
            return self.vacant.with(|vacant| vacant.push(fiber));
        }
        self.count.set(self.count.get() + 1);
        if let Some(entry) = fiber.waits_for_a_message() {
            order::begins_to_wait(fiber.home, entry);
        }
        self.times.fetch_add(1, Ordering::Relaxed);
        match fiber.wait.get() {
            Wait::Nothing => unreachable!("a task is set aside for a reason"),
            Wait::Condition(_) | Wait::Turn => {
                self.conditional.with(|fibers| fibers.push_back(fiber))
            }
            // SAFETY: the pause is on the fiber's stack, or of those whose wait it is.
            Wait::Pause(pause) if unsafe { &*pause }.awaited_by(fiber) => (),
            Wait::Pause(_) => self.ready.with(|fibers| fibers.push_back(fiber)),
        }
    }

    /// Goes on with the tasks whose wait is over, and with one whose condition holds. True if there was any.
    pub fn go_on(&self) -> bool {
        if self.count.get() == 0 {
            return false;
        }
        self.collect();
        let mut any = false;
        // As many as there are now: those that wait again come later.
        for _ in 0..self.ready.with(|fibers| fibers.len()) {
            let Some(fiber) = self.ready.with(VecDeque::pop_front) else { break };
            self.take_up(fiber);
            any = true;
        }
        for _ in 0..self.conditional.with(|fibers| fibers.len()) {
            let Some(fiber) = self.conditional.with(VecDeque::pop_front) else { break };
            let is_over = match fiber.wait.get() {
                // SAFETY: it is on the stack of the fiber, which waits for it.
                Wait::Condition(condition) => (unsafe { &*condition })(),
                _ => true,
            };
            if is_over {
                self.take_up(fiber);
                return true;
            }
            self.conditional.with(|fibers| fibers.push_back(fiber));
        }
        any
    }

    /// Puts the fibers whose pause was ended in their order.
    fn collect(&self) {
        if self.ended.load(Ordering::Relaxed).is_null() {
            return;
        }
        // Acquire: pairs with the Release in `Fiber::has_ended`.
        let mut fiber = self.ended.swap(std::ptr::null_mut(), Ordering::Acquire);
        self.ready.with(|ready| {
            let at = ready.len();
            // SAFETY: fibers are never deallocated.
            while let Some(ended) = unsafe { fiber.as_ref() } {
                ready.insert(at, ended);
                fiber = ended.next.load(Ordering::Relaxed);
            }
        });
    }

    fn take_up(&self, fiber: &'static Fiber) {
        self.count.set(self.count.get() - 1);
        if let Some(entry) = fiber.waits_for_a_message() {
            self.waited.with(|waited| waited.count_out(entry));
        }
        fiber.enter();
    }
}
