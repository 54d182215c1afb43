//! Programs that several tests run.

/// Iterations that cost more and more, dealt out in equal parts. Where threads wait for processors the loops look short, too.
pub const UNEQUAL: &str = r#"
int main(void)
{
    double sum = 0;
    for (int round = 0; round < 20; round++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (long i = 0; i < 4000; i++) {
            double x = 1;
            for (long k = 0; k < i * 4; k++) x = x * 0.999 + 0.5;
            sum += x;
        }
    }
    return sum < 0;
}
"#;
