/* Uses the header and the library that are installed. */
#include <stdio.h>
#include <vicinity.h>

int main(void)
{
    int version = vicinity_version();
    printf("%d.%d.%d\n", version / 10000, version / 100 % 100, version % 100);
    return version != VICINITY_VERSION;
}
