/** The command line of a run, as it is stored and printed (pure). */
import { shellWord } from '../errors.js'
import { isSecret, pathWithoutSecrets, REDACTED, textWithoutSecrets } from '../shared/secrets.js'

/** Printed in place of a part that is not stored. */
const LEFT_OUT = '…'
/** Options whose value can hold a password that no pattern recognises. */
const BODIES = ['--body']

/**
 * Removes the secrets from a command line: values of secret headers, variables and parameters, and bodies.
 *
 * @param {readonly string[]} argv words after `hopbench`
 * @returns {string[]}
 */
export const toStoredCommand = argv => argv.map((word, i) => {
  const [, inline, value = word] = /^(--[a-z-]+=)(.*)$/s.exec(word) ?? []
  const option = inline?.slice(0, -1) ?? argv[i - 1] ?? ''
  const stored = option.startsWith('--') ? toStoredValue(option, value) : toStoredText(value)
  return `${inline ?? ''}${stored}`
})

/**
 * @param {string} option
 * @param {string} value
 */
function toStoredValue (option, value) {
  if (BODIES.includes(option)) return REDACTED
  if (option !== '--header') return toStoredText(value)
  const [name] = value.split(':', 1)
  return isSecret(name) ? `${name}: ${REDACTED}` : toStoredText(value)
}

/** @param {string} text */
const toStoredText = text => pathWithoutSecrets(textWithoutSecrets(text))

/**
 * Prints a stored command line.
 *
 * @param {readonly string[]} command
 * @returns {string} "hopbench run uds --quick"
 */
export const printCommand = command =>
  ['hopbench', ...command.map(word => shellWord(word.replaceAll(REDACTED, LEFT_OUT)))].join(' ')
