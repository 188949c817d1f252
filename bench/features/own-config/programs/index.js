/** Programs whose configurations can be tried. */
import caddy from './caddy.js'
import nginx from './nginx.js'

/** @import { OwnProgram } from '../types.js' */

/** In the order in which a text is compared with them. @type {OwnProgram[]} */
export const PROGRAMS = [caddy, nginx]

/**
 * @param {string} name of the plug-in in proxy/
 * @returns {OwnProgram}
 */
export function getProgram (name) {
  const program = PROGRAMS.find(program => program.name === name)
  if (!program) throw new TypeError(`there is no program ${name}`)
  return program
}

/** Options of a reader of files. @param {OwnProgram} program */
export const toReader = ({ parse, includes, toPath }) => ({ parse, includes, toPath })
