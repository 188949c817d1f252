/** The command line of a run, as it is stored and printed (pure). */
import { shellWord } from '../errors.js'
import { toOption } from '../shared/commands.js'
import { isSecret, pathWithoutSecrets, REDACTED, textWithoutSecrets } from '../shared/secrets.js'

/** Printed in place of a part that is not stored. */
const LEFT_OUT = '…'
/** Characters that the format of records excludes from texts. */
const EXCLUDED = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/**
 * Removes the secrets from a command line: values of secret headers, variables and parameters, and bodies. Replaces
 * control characters by spaces.
 *
 * @param {readonly string[]} argv words after `hopbench`
 * @returns {string[]}
 */
export const toStoredCommand = argv => argv.map((word, i) => {
  const [, inline, value = word] = /^(--[a-z-]+=)(.*)$/s.exec(word) ?? []
  const option = inline?.slice(0, -1) ?? argv[i - 1] ?? ''
  const stored = option.startsWith('--') ? toStoredValue(option, value) : toStoredText(value)
  return `${inline ?? ''}${stored}`.replace(EXCLUDED, ' ')
})

/**
 * @param {string} option
 * @param {string} value
 */
function toStoredValue (option, value) {
  // A password in a body matches no pattern.
  if (option === '--body') return REDACTED
  if (option !== '--header') return toStoredText(value)
  const [name] = value.split(':', 1)
  return isSecret(name) ? `${name}: ${REDACTED}` : toStoredText(value)
}

/**
 * Removes the secrets from a word. A path and a URL are one query; other words may contain several.
 *
 * @param {string} text
 */
function toStoredText (text) {
  const stored = textWithoutSecrets(text)
  return /^(?:\/|https?:)/i.test(text) ? pathWithoutSecrets(stored) : stored.replace(/\S+/g, pathWithoutSecrets)
}

/** Options that are typed to be left out, as in --no-lab. */
const NEGATED = ['lab', 'wait']
/** Options with a time in seconds. */
const TIMES = ['budget', 'warmUp', 'readyWithin', 'p99', 'soak']

/**
 * Returns the command line of a request, to be stored and printed.
 *
 * @param {string} command
 * @param {{ words: string[], options: Record<string, any> }} request
 * @returns {string[]} words after `hopbench`
 */
export const toCommandLine = (command, { words, options }) => [
  command,
  ...words,
  ...Object.entries(options).flatMap(([name, value]) => {
    const option = toOption(name)
    if (NEGATED.includes(name)) return value === false ? [option.replace('--', '--no-')] : []
    if (value === true) return [option]
    const unit = TIMES.includes(name) ? 's' : ''
    return [value === false ? [] : value ?? []].flat().flatMap(part => [option, `${part}${unit}`])
  })
]

/**
 * Prints a stored command line.
 *
 * @param {readonly string[]} command
 * @returns {string} "hopbench run uds --quick"
 */
export const printCommand = command =>
  ['hopbench', ...command.map(word => shellWord(word.replaceAll(REDACTED, LEFT_OUT)))].join(' ')
