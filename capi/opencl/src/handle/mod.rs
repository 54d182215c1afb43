//! Handles: what the program calls a `cl_mem` or a `cl_kernel`, and what it is inside.
//!
//! Terms: a *handle* is the program's, any number of any origin. A `Ref` is ours: a counted reference to a
//! live object. The program's references (`clRetain...`) are counted apart, because it may ask for their
//! number; an object that others still need (the context of a buffer) outlives the program's last one, and its
//! handle remains good for as long, as programs expect that ask a buffer for its context.
//!
//! Invariant: a `Ref` is a reference that nobody else gives up, so what it refers to lives as long as it does.
//!
//! What is not here: weak references. Objects refer to those they were made from, never back.

#![allow(unsafe_code)]

mod slots;

pub use slots::Kind;

use crate::api::DISPATCH;
use crate::error::{Error, Result};
use opencl_sys::cl_int;
use slots::Slot;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::Deref;

/// What can have a handle.
pub trait Object: Send + Sync + Sized + 'static {
    const KIND: Kind;
    /// The error for a handle that is not one of these.
    const INVALID: cl_int;
}

/// A counted reference to a live object.
pub struct Ref<T: Object> {
    slot: &'static Slot,
    of: PhantomData<T>,
}

impl<T: Object> Ref<T> {
    /// Gives an object a handle, which the program does not know yet.
    pub fn new(object: T) -> Result<Ref<T>> {
        let object = Box::into_raw(Box::new(object));
        match Slot::occupy(T::KIND, object.cast(), &DISPATCH) {
            Ok(slot) => Ok(Ref { slot, of: PhantomData }),
            Err(error) => {
                // SAFETY: made above, known to nobody.
                drop(unsafe { Box::from_raw(object) });
                Err(error)
            }
        }
    }

    /// The live object that a handle means.
    #[inline]
    pub fn of(handle: *const c_void) -> Result<Ref<T>> {
        let slot = Slot::at(handle).filter(|slot| slot.enter(T::KIND));
        slot.map(|slot| Ref { slot, of: PhantomData }).ok_or(Error(T::INVALID))
    }

    /// `clRetain...`
    pub fn retain(handle: *const c_void) -> Result {
        Slot::at(handle).ok_or(Error(T::INVALID))?.retain(T::KIND, T::INVALID)
    }

    /// `clRelease...`
    pub fn release(handle: *const c_void) -> Result {
        let slot = Slot::at(handle).ok_or(Error(T::INVALID))?;
        slot.release(T::KIND, T::INVALID)?;
        drop(Ref::<T> { slot, of: PhantomData });
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

    pub fn is(&self, other: &Ref<T>) -> bool {
        std::ptr::eq(self.slot, other.slot)
    }
}

impl<T: Object> Clone for Ref<T> {
    fn clone(&self) -> Ref<T> {
        self.slot.share();
        Ref { slot: self.slot, of: PhantomData }
    }
}

impl<T: Object> Deref for Ref<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the slot's kind was compared with `T`'s when the reference was made, and the object lives
        // as long as there are references.
        unsafe { &*self.slot.object().cast::<T>() }
    }
}

impl<T: Object> Drop for Ref<T> {
    #[inline]
    fn drop(&mut self) {
        if self.slot.leave() {
            // SAFETY: this was the last reference, and no other can be made.
            drop(unsafe { Box::from_raw(self.slot.object().cast::<T>()) });
            self.slot.vacate();
        }
    }
}
