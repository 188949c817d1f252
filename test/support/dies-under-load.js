/** An app that answers as it should, and ends in the middle of the load. */
let answers = 0

/** The gate asks 208 times. */
const SOON_AFTER_THE_GATE = 250

export default (/** @type {import('node:http').IncomingMessage} */ request, /** @type {import('node:http').ServerResponse} */ response) => {
  if (++answers > SOON_AFTER_THE_GATE) process.exit(3)
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.end('still here')
}
