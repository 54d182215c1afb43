//! What the kernel says about the process as a whole.

#![allow(unsafe_code)]

/// Whether the process runs with more rights than its user has (set-user-ID, capabilities):
/// variables that name files are then not to be trusted.
///
/// Source: `getauxval(3)`, `AT_SECURE`.
pub fn is_secure_mode() -> bool {
    // SAFETY: no preconditions; an unknown type yields 0.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

#[cfg(test)]
mod tests {
    #[test]
    fn tests_do_not_run_set_user_id() {
        assert!(!super::is_secure_mode());
    }
}
