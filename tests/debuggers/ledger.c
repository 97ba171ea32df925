#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

struct ledger {
    int total;
    const char *owner;
};

/* books an amount */
static int add(struct ledger *book, int amount) {
    int before = book->total;
    // the sum
    book->total = before + amount;
    return book->total;
}

static int crash(int *nowhere) {
    return *nowhere;
}

int numbers[100000];

static void stay(void) {
    usleep(20000);
}

int main(int argc, char **argv) {
    struct ledger book = {0, "anna"};
    const char *mode = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 100000; i++)
        numbers[i] = i;
    for (int i = 0; i < 5; i++)
        add(&book, i);
    printf("total %d\n", book.total);
    fflush(stdout);
    if (!strcmp(mode, "crash"))
        return crash(0);
    if (!strcmp(mode, "fork")) {
        pid_t child = fork();
        if (!child)
            _exit(7);
        int status;
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    }
    if (!strcmp(mode, "exec"))
        execl("/bin/echo", "echo", "replaced", (char *)0);
    while (!strcmp(mode, "stay"))
        stay();
    return book.total == 10 ? 4 : 5;
}
