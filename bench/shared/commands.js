/** Commands that are printed to be copied (pure). */

/** A run as `shellWord` prints it, without control characters and quotes. */
const RUN = /[\w.-]+|'[^'\p{C}\p{Zl}\p{Zp}]+'/u.source

/** All commands that a record can hold. */
const SUGGESTED = new RegExp('^(' + [
  'npm run hopbench -- check( [a-z][a-z0-9_-]*)+',
  `npm run hopbench -- run --resume (${RUN})`,
  'npm run hopbench -- doctor',
  'cpupower frequency-set -g performance',
  String.raw`ulimit -n \d+`
].join('|') + ')$', 'u')

/**
 * Returns whether a command of a record is one that hopbench suggests. A record can come from a stranger, and a reader
 * copies what is printed as a command.
 *
 * @param {string} command
 */
export const isSuggested = command => SUGGESTED.test(command)
