/** Every error a person can meet: what failed, where, and what to try. A file of errors/ holds those of one topic;
 * docs/errors.md has a section for each with the same codes, test/provocations/ what brings them about. Tests keep the
 * three together. */
import { app } from './errors/app.js'
import { command } from './errors/command.js'
import { deploy } from './errors/deploy.js'
import { hosts } from './errors/hosts.js'
import { measuring } from './errors/measuring.js'
import { results } from './errors/results.js'
import { serve } from './errors/serve.js'
import { setup } from './errors/setup.js'
import { sizing } from './errors/sizing.js'
import { starting } from './errors/starting.js'

/** The catalog by topic. */
export const topics = { command, app, setup, starting, measuring, results, serve, sizing, deploy, hosts }

/** @type {typeof command & typeof app & typeof setup & typeof starting & typeof measuring & typeof results &
 * typeof serve & typeof sizing & typeof deploy & typeof hosts} */
export const catalog = Object.assign({}, ...Object.values(topics))

/** @typedef {keyof typeof catalog} ErrorCode */
/** What the sentences of an entry are made of, and the program's own lines where there are any. @template E
 * @typedef {(E extends { what: (d: infer D) => string } ? D : unknown) & (E extends { remedy: (d: infer D) => string }
 * ? D : unknown) & { output?: string | null }} DetailsOf */
/** A code, its details (which may be left out where no sentence needs any), and what has caused it. The compiler sees
 * to it that nothing is missing, wherever it is thrown.
 * @typedef {{ [Code in ErrorCode]: {} extends DetailsOf<typeof catalog[Code]> ? [code: Code, details?: DetailsOf<typeof
 * catalog[Code]>, options?: { cause?: unknown }] : [code: Code, details: DetailsOf<typeof catalog[Code]>, options?: {
 * cause?: unknown }] }[ErrorCode]} Thrown */

/** A failure with a code. Its message is one sentence, `remedy` another. */
export class HopbenchError extends Error {
  /** @param {Thrown} thrown code, details, options */
  constructor (...thrown) {
    const [code, details = {}, options = {}] = thrown
    const entry =
      /** @type {{ exit: 1 | 2, what: (d: any) => string, remedy: (d: any) => string } | undefined} */ (catalog[code])
    if (!entry) throw new TypeError(`error code "${code}" is not in the catalog`)
    super(entry.what(details), options)
    this.name = 'HopbenchError'
    /** @type {string} */
    this.code = code
    /** @type {Record<string, any>} */
    this.details = details
    this.exit = entry.exit
    this.remedy = entry.remedy(details)
  }
}

/** What the system refuses anywhere, at any time.
 * @type {Record<string, (error: NodeJS.ErrnoException) => HopbenchError>} */
const REFUSALS = {
  ENOSPC: error => new HopbenchError('disk-full', { file: error.path ?? 'a file', resume: null }, { cause: error }),
  EDQUOT: error => new HopbenchError('disk-full', { file: error.path ?? 'a file', resume: null }, { cause: error }),
  EMFILE: error => new HopbenchError('too-few-files', { why: error.message }, { cause: error }),
  ENFILE: error => new HopbenchError('too-few-files', { why: error.message }, { cause: error })
}

/** @param {unknown} error @returns {unknown} with a name, where it is one that may come from anywhere */
function named (error) {
  const code = error instanceof HopbenchError || !(error instanceof Error)
    ? undefined
    : /** @type {NodeJS.ErrnoException} */ (error).code
  return code !== undefined && Object.hasOwn(REFUSALS, code)
    ? REFUSALS[code](/** @type {NodeJS.ErrnoException} */ (error))
    : error
}

/** Words that come from elsewhere (another suite, another machine, a program's output) as they may stand in a terminal:
 * without the control characters that would move its cursor, set its title or type for the person (ECMA-48). Tabs
 * become spaces; lines stay lines. @param {string} text */
export const plain = text => text.replace(/\t/g, ' ').replace(SEQUENCES, '').replace(CONTROLS, '')

/** Colours and the like as a whole, so that none of their letters stay behind. */
const SEQUENCES =
  // eslint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g
/** C0 but the line feed, DEL and C1, and what turns the direction of text (Unicode's bidirectional controls). */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\0-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** @typedef {{ text: string, exit: number, json: { error: { code: string, message: string, try: string } } }} Explained
 * text: for a terminal; json: for a program */

/** The sentence, the program's own lines if there are any, what to try, and the code in brackets.
 * @param {unknown} thrown @returns {Explained} */
export function explain (thrown) {
  const error = named(thrown)
  if (!(error instanceof HopbenchError)) {
    const message = error instanceof Error ? error.message : String(error)
    return explained({
      code: 'internal',
      exit: 1,
      message: `hopbench itself failed: ${message}`,
      remedy: 'set HOPBENCH_DEBUG=1 for the stack and report it.'
    }, '')
  }
  return explained(error, error.details.output ? `\n${indent(error.details.output)}` : '')
}

/** @param {Pick<HopbenchError, 'code' | 'message' | 'remedy' | 'exit'>} error @param {string} quoted
 * @returns {Explained} */
const explained = ({ code, message, remedy, exit }, quoted) => ({
  text: plain(`${message}${quoted}\nTry: ${remedy} [${code}]`),
  exit,
  json: { error: { code, message: plain(`${message}${quoted}`), try: plain(remedy) } }
})

/** @param {string} output */
const indent = output => String(output).trim().split('\n').slice(-8).map(line => `    ${line}`).join('\n')
