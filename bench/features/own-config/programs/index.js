/** Programs whose configurations can be tried. */
import apache from './apache.js'
import caddy from './caddy.js'
import haproxy from './haproxy.js'
import nginx from './nginx.js'
import varnish from './varnish.js'

/** @import { OwnProgram } from '../types.js' */

/** In the order in which a text is compared with them. @type {OwnProgram[]} */
export const PROGRAMS = [apache, caddy, haproxy, varnish, nginx]

/** @param {string} name of the plug-in in proxy/ */
export const getProgram = name => /** @type {OwnProgram} */ (PROGRAMS.find(program => program.name === name))
