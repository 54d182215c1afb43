//! Handles: what the program calls a `cl_mem` or a `cl_kernel`, and what it is inside.
//!
//! Terms: a *handle* is the program's, any number of any origin. A `Ref` is ours: a counted reference to a
//! live object. A `Name` keeps nothing alive, and means one object alone: when that is gone it means none, though its
//! handle may be another object's by then. The program's references (`clRetain...`) are counted apart, because it may ask for their
//! number; an object that others still need (the context of a buffer) outlives the program's last one, and its
//! handle remains good for as long, as programs expect that ask a buffer for its context.
//!
//! Invariant: a `Ref` is a reference that nobody else gives up, so what it refers to lives as long as it does.
//!
//! What is not here: references back. Objects refer to those they were made from.

#![allow(unsafe_code)]

mod slots;

pub use slots::Kind;

use crate::api::DISPATCH;
use crate::error::{Error, Result, ensure};
use opencl_sys::{CL_OUT_OF_HOST_MEMORY, cl_int};
use slots::{Place, Slot};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::ptr::NonNull;

/// What can have a handle.
pub trait Object: Send + Sync + Sized + 'static {
    const KIND: Kind;
    /// The error for a handle that is not one of these.
    const INVALID: cl_int;
}

/// A counted reference to a live object. It knows where the object is, so that who uses the object does not touch the
/// slot, which whoever counts references changes.
pub struct Ref<T: Object> {
    slot: &'static Slot,
    object: NonNull<T>,
}

// SAFETY: as a reference to the object, which any thread may use and drop.
unsafe impl<T: Object> Send for Ref<T> {}
// SAFETY: as above.
unsafe impl<T: Object> Sync for Ref<T> {}

impl<T: Object> Ref<T> {
    /// Gives an object a handle, which the program does not know yet.
    pub fn new(object: T) -> Result<Ref<T>> {
        let Place { slot, room } = Slot::take(T::KIND).ok_or(Error(CL_OUT_OF_HOST_MEMORY))?;
        let room = NonNull::new(room.cast::<MaybeUninit<T>>());
        let room = room.unwrap_or_else(|| {
            let room = Box::leak(Box::<T>::new_uninit());
            NonNull::from(room)
        });
        let object = {
            // SAFETY: new memory for one of these, or that of one which is gone.
            let room: &'static mut MaybeUninit<T> = unsafe { &mut *room.as_ptr() };
            NonNull::from(room.write(object))
        };
        slot.fill(T::KIND, object.as_ptr().cast(), &DISPATCH);
        Ok(Ref { slot, object })
    }

    /// The slot's holder has a reference, and an object of this kind lives there.
    #[inline]
    fn entered(slot: &'static Slot) -> Option<Ref<T>> {
        NonNull::new(slot.object().cast()).map(|object| Ref { slot, object })
    }

    /// The live object that a handle means.
    #[inline]
    pub fn of(handle: *const c_void) -> Result<Ref<T>> {
        let slot = Slot::at(handle).filter(|slot| slot.enter(T::KIND));
        slot.and_then(Ref::entered).ok_or(Error(T::INVALID))
    }

    /// `clRetain...`
    pub fn retain(handle: *const c_void) -> Result {
        Slot::at(handle).ok_or(Error(T::INVALID))?.retain(T::KIND, T::INVALID)
    }

    /// `clRelease...`
    pub fn release(handle: *const c_void) -> Result {
        let slot = Slot::at(handle).ok_or(Error(T::INVALID))?;
        slot.release(T::KIND, T::INVALID)?;
        drop(Ref::<T>::entered(slot));
        Ok(())
    }

    /// The program's name of this object; good as long as the object lives.
    pub fn handle(&self) -> *mut c_void {
        self.slot.handle()
    }

    /// How many references the program has.
    pub fn references(&self) -> u32 {
        self.slot.references()
    }

    /// Gives this reference to the program, which releases it.
    pub fn into_handle(self) -> *mut c_void {
        self.slot.hand_over();
        std::mem::ManuallyDrop::new(self).slot.handle()
    }

    pub fn name(&self) -> Name<T> {
        Name { slot: self.slot, generation: self.slot.generation(), of: PhantomData }
    }

    pub fn is(&self, other: &Ref<T>) -> bool {
        std::ptr::eq(self.slot, other.slot)
    }

    /// This reference, as an argument of a task.
    pub fn into_raw(self) -> *mut c_void {
        std::mem::ManuallyDrop::new(self).slot.handle()
    }

    /// # Safety
    /// The argument came from `into_raw`, and the reference is used in its place.
    pub unsafe fn from_raw(argument: *mut c_void) -> Option<Ref<T>> {
        Slot::at(argument).and_then(Ref::entered)
    }
}

/// Which object is meant, whether or not it lives.
pub struct Name<T: Object> {
    slot: &'static Slot,
    generation: u64,
    of: PhantomData<fn() -> T>,
}

impl<T: Object> Name<T> {
    /// Whether this object is meant.
    pub fn is(&self, object: &Ref<T>) -> bool {
        std::ptr::eq(self.slot, object.slot) && self.generation == object.slot.generation()
    }

    /// The object, if it lives.
    pub fn object(self) -> Result<Ref<T>> {
        let object = Ref::<T>::of(self.slot.handle())?;
        ensure(object.slot.generation() == self.generation, T::INVALID)?;
        Ok(object)
    }
}

impl<T: Object> Clone for Name<T> {
    fn clone(&self) -> Name<T> {
        *self
    }
}

impl<T: Object> Copy for Name<T> {}

impl<T: Object> Clone for Ref<T> {
    fn clone(&self) -> Ref<T> {
        self.slot.share();
        Ref { slot: self.slot, object: self.object }
    }
}

impl<T: Object> Deref for Ref<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the slot's kind was compared with `T`'s when the reference was made, and the object lives
        // as long as there are references.
        unsafe { self.object.as_ref() }
    }
}

impl<T: Object> Drop for Ref<T> {
    #[inline]
    fn drop(&mut self) {
        if self.slot.leave() {
            // SAFETY: this was the last reference, and no other can be made.
            unsafe { self.object.drop_in_place() };
            if !self.slot.vacate(T::KIND) {
                // SAFETY: `new` made it, for one of these, and nobody knows of it any more.
                drop(unsafe { Box::from_raw(self.object.as_ptr().cast::<MaybeUninit<T>>()) });
            }
        }
    }
}
