/** Checks the output or the error that resulted from a hostile input. */
import { HopbenchError, explain } from '../../../bench/errors.js'
import { PLANTED_COMMAND, PLANTED_MARKUP } from './mutate.js'

/**
 * @typedef {object} Output
 * @property {boolean} [isRefused] whether the input was refused without an exception, as by an HTTP status; left out:
 * false
 * @property {string[]} [printed] texts for a terminal
 * @property {string[]} [pages] HTML, SVG and Markdown
 * @property {{ files: Record<string, string>, clean: Record<string, string> }} [scripts] texts of generated files by
 * name; clean: those that a valid input leads to
 */

/** Control characters except the line feed, and Unicode's bidirectional controls. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\0-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
/** Matches the start of a command to paste with a planted command behind it, which would be pasted too. */
const PASTED = new RegExp(`npm (run|install|ci)\\b[^.]*${PLANTED_COMMAND}`)

/**
 * Returns the faults of an output: control characters, commands to paste, markup, or added lines of scripts.
 * @param {Output} output
 * @returns {string[]}
 */
export function findOutputFaults ({ printed = [], pages = [], scripts }) {
  return [
    ...printed.flatMap(findTextFaults),
    ...pages.filter(page => page.includes(PLANTED_MARKUP))
      .map(page => `markup in a page: ${around(page, PLANTED_MARKUP)}`),
    ...scripts ? findScriptFaults(scripts) : []
  ]
}

/** Finds control characters and planted commands in a text for a terminal. @param {string} text */
function findTextFaults (text) {
  const control = CONTROLS.exec(text)
  const command = PASTED.exec(text.replace(/\s+/g, ' '))
  return [
    ...control ? [`the control character ${JSON.stringify(control[0])} is printed: ${around(text, control[0])}`] : [],
    ...command ? [`a planted command is printed to be pasted: ${command[0].slice(-120)}`] : []
  ]
}

/**
 * Finds files and lines that a valid input does not lead to. Numbers, quoted texts and comments may differ.
 * @param {NonNullable<Output['scripts']>} scripts
 */
function findScriptFaults ({ files, clean }) {
  const added = Object.keys(files).filter(name => !(name in clean)).map(name => `a file is added: ${name}`)
  return [...added, ...Object.entries(files).flatMap(([name, text]) => {
    const known = new Set(toLines(clean[name] ?? ''))
    return toLines(text).filter(line => !known.has(line)).map(line => `${name} has another line: ${line.slice(0, 120)}`)
  })]
}

/** Returns the lines of a script, without comments and with equal numbers and quoted texts. @param {string} text */
const toLines = text => text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).map(line => line.trim())
  .filter(line => line !== '' && !line.startsWith('#'))
  .map(line => line.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\d+(\.\d+)?/g, '0'))

/**
 * Returns a part of a text with up to 60 characters on both sides.
 * @param {string} text
 * @param {string} part
 */
function around (text, part) {
  const at = text.indexOf(part)
  return JSON.stringify(text.slice(Math.max(0, at - 60), at + 60))
}

/**
 * Checks that a thrown value is an error of the catalog, and that its sentence is safe to print.
 * @param {unknown} error
 * @returns {string[]} faults
 */
export function findErrorFaults (error) {
  if (!(error instanceof HopbenchError)) {
    return [`it throws ${error instanceof Error ? (error.stack ?? '').split('\n').slice(0, 4).join(' | ') : error}`]
  }
  const { text } = explain(error)
  return findTextFaults(text)
}
