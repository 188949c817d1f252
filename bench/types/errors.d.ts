/** The catalog of errors. */

/** An error of the catalog in bench/errors/. `exit` 2: the command was wrong, 1: something failed on the way; `what`:
 * one sentence; `remedy`: what to try. */
export interface ErrorEntry { exit: 1 | 2, what: (details: never) => string, remedy: (details: never) => string }
