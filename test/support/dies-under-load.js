/** An app that answers as it should, and ends in the middle of the load. */

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
let answers = 0

/** The gate asks 208 times. */
const SOON_AFTER_THE_GATE = 250

export default (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
  if (++answers > SOON_AFTER_THE_GATE) process.exit(3)
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.end('still here')
}
