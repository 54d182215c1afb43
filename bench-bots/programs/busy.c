/* Keeps one processor busy: the other process of the measures on an oversubscribed machine. It ends
 * when it is killed, or when the process that started it is gone. */
#include <unistd.h>

int main(void) {
    pid_t parent = getppid();
    while (getppid() == parent) {
        for (long i = 0; i < 10000000; i++) {
            __asm__ volatile("");
        }
    }
    return 0;
}
