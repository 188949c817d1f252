/**
 * All errors that hopbench reports. A file holds those of one topic: in errors/, or in the folder of a feature.
 * docs/errors.md has a section for each with the same codes, and test/provocations/ triggers them; tests compare the
 * three.
 */
import { advise } from './features/advise/errors.js'
import { app } from './errors/app.js'
import { command } from './errors/command.js'
import { deploy } from './features/deploy/errors.js'
import { diff } from './features/diff/errors.js'
import { hosts } from './errors/hosts.js'
import { measuring } from './errors/measuring.js'
import { results } from './errors/results.js'
import { serve } from './features/serve/errors.js'
import { setup } from './errors/setup.js'
import { sizing } from './features/size/errors.js'
import { starting } from './errors/starting.js'

/** @import { ErrorEntry } from './errors/words.js' */

export { quoteForShell, shellWord } from './errors/words.js'

/** The catalog by topic. */
export const topics = { command, app, setup, starting, measuring, results, serve, sizing, deploy, hosts, diff, advise }

/**
 * @type {typeof command & typeof app & typeof setup & typeof starting & typeof measuring & typeof results & typeof
 * serve & typeof sizing & typeof deploy & typeof hosts & typeof diff & typeof advise}
 */
export const catalog = Object.assign({}, ...Object.values(topics))

/** @typedef {keyof typeof catalog} ErrorCode */
/**
 * Values that the sentences of an entry need, and the program's own output where there is any.
 * @template E
 * @typedef {(E extends { what: (d: infer D) => string } ? D : unknown) & (E extends { remedy: (d: infer D) => string }
 * ? D : unknown) & { output?: string | null }} DetailsOf
 */
/**
 * Arguments of HopbenchError: a code, its details (optional where no sentence needs any) and the cause. The compiler
 * checks that each code has its details.
 * @typedef {{ [Code in ErrorCode]: {} extends DetailsOf<typeof catalog[Code]> ? [code: Code, details?: DetailsOf<typeof
 * catalog[Code]>, options?: { cause?: unknown }] : [code: Code, details: DetailsOf<typeof catalog[Code]>, options?: {
 * cause?: unknown }] }[ErrorCode]} Thrown
 */

/**
 * @param {ErrorEntry['what']} text
 * @param {object} details
 */
const toText = (text, details) => typeof text === 'string' ? text : text(/** @type {never} */ (details))

/** An error of the catalog. Its message and its `remedy` are one sentence each. */
export class HopbenchError extends Error {
  /** @param {Thrown} thrown Code, details, options. */
  constructor (...thrown) {
    const [code, details = {}, options = {}] = thrown
    const entry = /** @type {ErrorEntry | undefined} */ (catalog[code])
    if (!entry) throw new TypeError(`error code "${code}" is not in the catalog`)
    super(toText(entry.what, details), options)
    this.name = 'HopbenchError'
    /** @type {ErrorCode} */
    this.code = code
    /** @type {Record<string, any>} */
    this.details = details
    this.exit = entry.exit ?? 1
    this.remedy = toText(entry.remedy, details)
  }
}

/**
 * Creates the error of an option that cannot have its value.
 * @param {string} option
 * @param {unknown} value as typed; true: a flag, or an option without a value; undefined: something is missing
 * @param {string} why
 * @param {string} [remedy]
 */
export const badOption = (option, value, why, remedy) => new HopbenchError('bad-option', { option, value, why, remedy })

/**
 * Creates the error of a topology that has no deploy kit for a platform.
 * @param {{ spec: string, target: string }} kit
 * @param {string} why
 * @param {string} remedy
 */
export const cannotDeploy = ({ spec, target }, why, remedy) =>
  new HopbenchError('cannot-deploy', { spec, target, why, remedy })

/**
 * Returns whether a thrown value is an error of the catalog, with one of these codes if there are any.
 * @param {unknown} error
 * @param {...ErrorCode} codes
 * @returns {error is HopbenchError}
 */
export const isHopbenchError = (error, ...codes) =>
  error instanceof HopbenchError && (codes.length === 0 || codes.includes(error.code))

/** Returns the message of a thrown value. @param {unknown} error */
export const getErrorMessage = error => error instanceof Error ? error.message : String(error)

/**
 * Returns the code of a thrown value: a code of the catalog, or of the system (`ENOENT`).
 * @param {unknown} error
 * @returns {string} Empty if the value has no code.
 */
export const getErrorCode = error => error instanceof Error && 'code' in error ? String(error.code) : ''

/**
 * Names the errors of the system that any operation can cause.
 * @param {unknown} error
 * @returns {unknown}
 */
function nameSystemError (error) {
  switch (error instanceof HopbenchError ? '' : getErrorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT': {
      const file = /** @type {NodeJS.ErrnoException} */ (error).path ?? 'a file'
      return new HopbenchError('disk-full', { file, resume: null }, { cause: error })
    }
    case 'EMFILE':
    case 'ENFILE':
      return new HopbenchError('too-few-files', { why: getErrorMessage(error) }, { cause: error })
    default:
      return error
  }
}

/**
 * An error as data, for another process. `internal` is any error that is not of the catalog.
 * @typedef {{ code: ErrorCode | 'internal', details: Record<string, any> }} ErrorData
 */

/**
 * Returns a thrown value as data. The sentences are made where the error is printed.
 * @param {unknown} thrown
 * @returns {ErrorData}
 */
export function toErrorData (thrown) {
  const error = nameSystemError(thrown)
  if (isHopbenchError(error)) return { code: error.code, details: error.details }
  return { code: 'internal', details: { message: getErrorMessage(error) } }
}

/** Creates the error that became data. @param {ErrorData} data */
export function fromErrorData ({ code, details }) {
  if (code === 'internal') return new Error(details.message)
  const thrown = /** @type {Thrown} */ (/** @type {unknown} */ ([code, details]))
  return new HopbenchError(...thrown)
}

/** Colours and other escape sequences as a whole, so that none of their letters remain. */
const SEQUENCES =
  // eslint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g
/**
 * C0 except the line feed, DEL, C1, Unicode's separators of lines and paragraphs, and its bidirectional controls, which
 * reverse the direction of text.
 */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\0-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Removes single control characters, except line feeds. Tabs become spaces. In markup an escape sequence must not be
 * removed as a whole, because it could enclose markup.
 * @param {string} text
 */
export const withoutControls = text => text.replace(/\t/g, ' ').replace(CONTROLS, '')

/**
 * Removes the control characters (ECMA-48) from text of another program or machine, because they would move the cursor
 * of a terminal, set its title or type into it. Tabs become spaces; line feeds remain.
 * @param {string} text
 */
export const plain = text => withoutControls(text.replace(SEQUENCES, ''))

/**
 * Describes a thrown value: its sentence, the last lines of the program's output if there are any, what to try, and the
 * code in brackets.
 * @param {unknown} thrown
 * @returns {{ text: string, exit: number, json: { error: { code: string, message: string, try: string } } }} `text` is
 * for a terminal, `json` for a program.
 */
export function explain (thrown) {
  const error = nameSystemError(thrown)
  const { code, exit, message, remedy, output } = isHopbenchError(error)
    ? { ...error, message: error.message, output: error.details.output }
    : {
        code: 'internal',
        exit: 1,
        message: `hopbench itself failed: ${getErrorMessage(error)}`,
        remedy: 'Set HOPBENCH_DEBUG=1 to print the stack, and report it.',
        output: null
      }
  const sentence = plain(output ? `${message}\n${indent(output)}` : message)
  return {
    text: `${sentence}\n${plain(`Try: ${remedy} [${code}]`)}`,
    exit,
    json: { error: { code, message: sentence, try: plain(remedy) } }
  }
}

/** Returns the sentence of a thrown value, without the output of a program. @param {unknown} thrown */
export const toSentence = thrown => explain(thrown).json.error.message.split('\n')[0]

/** Lines of a program's output that an error shows: its last eight, with the first line of its error. */
const MAX_LINES = 10

/** @param {unknown} output */
function indent (output) {
  const lines = String(output).trim().split('\n')
  return (lines.length > MAX_LINES ? lines.slice(-8) : lines).map(line => `    ${line}`).join('\n')
}
