//! Nests of loops in the view's text, for tests of what is decided about them.

/// A loop over j around one over k, with what they do.
pub fn nest(inner: &str, outer: &str) -> String {
    format!(
        "kernel k(a: global, b: global, n: i64)
        entry:
          %i = global_id 0
          jump outer
        outer:
          %j = phi [entry 0] [next %j1]
          jump inner
        inner:
          %k = phi [outer 0] [inner %k1]
          {inner}
          %k1 = add %k 1
          %c = slt %k1 %n
          branch %c inner next
        next:
          {outer}
          %j1 = add %j 1
          %d = slt %j1 %n
          branch %d outer done
        done:
          ret"
    )
}
