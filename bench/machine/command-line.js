/** Command line with which hopbench was started, for the plans that are stored. */

/** @type {readonly string[]} */
let words = []

/** Keeps the words after `hopbench`. @param {readonly string[]} argv */
export const setCommandLine = argv => { words = argv }

/** Returns the words after `hopbench`; empty: it was not started by a command line. */
export const getCommandLine = () => words
