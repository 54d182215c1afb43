//! C++: which exceptions a thread handles at the moment. Each fiber has its own.
//!
//! The C++ library keeps a list of them, and a count of those in flight, in two words of each thread (Itanium C++ ABI,
//! section 2.2.2). A task that is set aside inside a handler must find them again, and others must not.

use std::sync::OnceLock;

/// `__cxa_eh_globals`.
pub type Words = [usize; 2];

type Find = unsafe extern "C" fn() -> *mut Words;

/// Puts `words` in place of the thread's, which it gets.
pub fn exchange(words: &mut Words) {
    static FIND: OnceLock<Option<Find>> = OnceLock::new();
    let find = FIND.get_or_init(|| {
        // SAFETY: the name is a string; the answer is null, or the function that the ABI describes.
        unsafe {
            let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_get_globals".as_ptr());
            std::mem::transmute::<*mut libc::c_void, Option<Find>>(symbol)
        }
    });
    if let Some(find) = find {
        // SAFETY: it gives the calling thread's two words, which live as long as the thread does.
        std::mem::swap(words, unsafe { &mut *find() });
    }
}
