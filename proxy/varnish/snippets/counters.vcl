# For the suite: a count of requests in a file, and a log. Declares its functions, so that it compiles on systems
# without header files.
C{
    extern char *getenv(const char *);
    extern void *fopen(const char *, const char *);
    extern int fileno(void *);
    extern int ftruncate(int, long);
    extern void *mmap(void *, unsigned long, int, int, int, long);
    extern int fprintf(void *, const char *, ...);
    extern int fflush(void *);
    static void *noted;
    static unsigned long *requests;
}C

sub vcl_init {
    C{
        void *counts = fopen(getenv("HOPBENCH_REQUESTS"), "w+");
        ftruncate(fileno(counts), sizeof *requests);
        /* PROT_READ | PROT_WRITE, MAP_SHARED */
        requests = mmap(0, sizeof *requests, 3, 1, fileno(counts), 0);
        noted = fopen(getenv("HOPBENCH_NOTED"), "a");
    }C
}
