/** Asks for a fact, or before something that may cost or disturb. */
import { createInterface } from 'node:readline/promises'
import { badOption } from '../errors.js'

/** @import { HopbenchError } from '../errors.js' */

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
  const reply = await ask(`${question} (yes or no)`, { input, output })
  if (/^y(es)?$/i.test(reply)) return
  throw badOption(command, undefined, 'the question was not answered by yes', 'Repeat the command and answer yes.')
}

/**
 * Asks a question on the terminal.
 *
 * @param {string} question
 * @param {{ input?: NodeJS.ReadStream, output?: NodeJS.WritableStream }} [terminal]
 * @returns {Promise<string>} the reply without spaces around it; empty if the input has ended
 */
export async function ask (question, { input = process.stdin, output = process.stderr } = {}) {
  // The terminal edits the line itself, so that no sequence that moves its cursor is written.
  const lines = createInterface({ input, output, terminal: false })
  try {
    const reply = await new Promise(resolve => {
      lines.once('close', () => resolve(''))
      lines.question(`${question} `).then(resolve, () => resolve(''))
    })
    return String(reply).trim()
  } finally {
    lines.close()
  }
}
