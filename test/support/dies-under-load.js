/** App that responds correctly at the gate and exits under load. */

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
let answers = 0

/** Responses before the exit: more than the 208 requests of the gate. */
const MAX_RESPONSES = 250

export default (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
  if (++answers > MAX_RESPONSES) process.exit(3)
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.end('still here')
}
