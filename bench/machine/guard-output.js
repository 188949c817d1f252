/**
 * The exit of all text: standard output and standard error. Removes control characters there, because any text can come
 * from a record, an app or another machine, and a terminal would interpret them. Uses node: modules only, because
 * bench/bootstrap.js imports this file.
 */
import { StringDecoder } from 'node:string_decoder'

/** Characters that a terminal interprets: C0 except tab and line feed, DEL, C1, and those that end or reverse lines. */
const CONTROLS = String.raw`[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)`
/** Sequences of hopbench's own: the clearing of a line before a text; bold, dim and colours (bench/report/wrap.js). */
const OWN = String.raw`^\r\x1b\[2K|\x1b\[(?:0|1|2|22|3[1239])m`
const ANY = new RegExp(CONTROLS, 'g')
const OTHER = new RegExp(`(${OWN})|${CONTROLS}`, 'g')

/**
 * Removes control characters, and keeps tabs and line breaks.
 * @param {string} text
 * @param {boolean} [isTerminal] keeps the sequences of hopbench's own, which hide no part of the text
 */
export const toOutput = (text, isTerminal = false) => isTerminal
  ? text.replace(OTHER, (_, own = '') => own)
  : text.replace(ANY, '')

/**
 * Lets a stream write no control characters.
 * @param {Pick<NodeJS.WriteStream, 'isTTY' | 'write'>} stream
 */
export function guardOutput (stream) {
  const write = /** @type {(...args: any[]) => boolean} */ (stream.write.bind(stream))
  // A character can be divided between two chunks of bytes.
  const decoder = new StringDecoder()
  stream.write = (/** @type {string | Uint8Array} */ chunk, /** @type {any[]} */ ...rest) => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk))
    return write(toOutput(text, stream.isTTY), ...rest)
  }
}

/** Prints a line of progress. @param {string} line */
export const writeLine = line => { process.stderr.write(`${line}\n`) }
