/** Parts that several files of errors have in common. */

/**
 * An error of the catalog.
 * @typedef {object} ErrorEntry
 * @property {2} [exit] 2: the command was wrong. Any other failure exits with 1.
 * @property {string | ((details: never) => string)} what One sentence: what failed, and where.
 * @property {string | ((details: never) => string)} remedy One or more actions, each a verb in the imperative.
 */
/** Details with a remedy of their own. add: option for the typed command
 * @typedef {{ remedy?: string, add?: string[] }} Remedied */
/** @typedef {{ nearest?: string | null }} Nearest The existing name that is closest to the typed one. */

/** @param {Nearest} d */
export const didYouMean = ({ nearest }) => nearest ? ` Did you mean "${nearest}"?` : ''

/**
 * Points to the output of a program, which is printed above the remedy.
 * @param {{ output?: string | null }} d
 */
export const readOutput = ({ output }) => output?.trim() ? 'Read its last lines above' : 'It wrote nothing'

/** Returns the remedy that the code which throws the error supplies. @param {{ remedy: string }} d */
export const suppliedRemedy = d => d.remedy

/** Returns a remedy that the code which throws the error may replace. @param {string} text */
export const remedyOr = text => (/** @type {Remedied} */ d) => d.remedy ?? text

/**
 * Creates the entry of packages that could not be installed.
 * @param {string} kind
 * @param {string} settings of the program that installs them
 */
export const packagesFailed = (kind, settings) => /** @satisfies {ErrorEntry} */ ({
  what: (/** @type {{ name: string, why: string }} */ d) =>
    `The ${kind} packages of ${d.name} could not be installed: ${d.why}.`,
  remedy: remedyOr(`Check the network and the settings of ${settings}, then start again.`)
})

/**
 * Quotes a word for a POSIX shell. A word that a shell does not interpret remains as it is.
 *
 * @param {string} word
 */
export const shellWord = word => /^[\w@%+=:,./-]+$/.test(word) ? word : quoteForShell(word)

/** Quotes any text as one word of a POSIX shell. @param {string} text */
export const quoteForShell = text => `'${text.replaceAll("'", "'\\''")}'`
