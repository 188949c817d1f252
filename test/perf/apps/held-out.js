// App of the held-out validation: CPU time by the number of rows, and a wait for a database if the query has `wait`.
import { connect } from 'node:net'

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/**
 * @param {string} socket of the database, which sends back each byte of a query after a delay
 */
export function createApp (socket) {
  /** @type {ReturnType<typeof connect> | null} */
  let database = null
  /** @type {(() => void)[]} */
  const waiting = []
  const query = (/** @type {() => void} */ onRow) => {
    database ??= connect(socket).on('data', rows => {
      for (let i = 0; i < rows.length; i++) waiting.shift()?.()
    })
    waiting.push(onRow)
    database.write('q')
  }
  /**
   * @param {IncomingMessage} req
   * @param {ServerResponse} res
   */
  return (req, res) => {
    const { searchParams } = new URL(req.url ?? '/', 'http://localhost')
    const respond = () => {
      const body = work(Number(searchParams.get('rows')))
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
      res.end(body)
    }
    if (searchParams.has('wait')) query(respond)
    else respond()
  }
}

/**
 * Creates rows as JSON, reads them, and returns one in a hundred.
 *
 * @param {number} count
 */
function work (count) {
  const rows = Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}`, tags: [`a${id}`, `b${id % 7}`] }))
  /** @type {typeof rows} */
  const read = JSON.parse(JSON.stringify(rows))
  return JSON.stringify(read.filter(({ id }) => id % 100 === 0))
}
