/** Asks before something that may cost or disturb. */
import { createInterface } from 'node:readline/promises'
import { badOption } from '../../errors.js'

/** @import { HopbenchError } from '../../errors.js' */

/**
 * Asks a question on the terminal, and returns if the reply is yes.
 *
 * @param {string} question
 * @param {{ command: string, option: string }} asking option: replaces the question
 * @param {{ input?: NodeJS.ReadStream, output?: NodeJS.WritableStream }} [terminal]
 * @throws {HopbenchError} bad-option
 */
export async function confirm (question, { command, option }, { input = process.stdin, output = process.stderr } = {}) {
  if (!input.isTTY) {
    const why = `there is no terminal for the question "${question}"`
    throw badOption(command, undefined, why, `Add ${option} if that is permitted.`)
  }
  const lines = createInterface({ input, output })
  try {
    const reply = await new Promise(resolve => {
      lines.once('close', () => resolve(''))
      lines.question(`${question} (yes or no) `).then(resolve, () => resolve(''))
    })
    if (/^y(es)?$/i.test(String(reply).trim())) return
  } finally {
    lines.close()
  }
  throw badOption(command, undefined, 'the question was not answered by yes', 'Repeat the command and answer yes.')
}
