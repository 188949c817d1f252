// A page that Express renders for each request, of rows in memory or from a client of PostgreSQL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'Express, a page from a Handlebars template; the default takes about 1 ms of CPU time under Node 26',
  package: 'express',
  serves: ['pages'],
  bytesFrom: 'memory',
  compression: 'none',
  settings:
    'NODE_ENV=production, trust proxy, Cache-Control: public for every response; +database reads the rows by the ' +
    'package pg from a process that speaks the protocol of PostgreSQL, and whose CPU time is part of the server',
  http1Only:
    'Express gives every request a prototype of node:http, with which HTTP/2 does not work: the process ends',
  options: {
    rows: { type: 'number', default: 500, help: 'rows of the table in the page' },
    database: { type: 'boolean', default: false, help: 'reads the rows by the package pg, over TCP' }
  }
}

const TEMPLATE = `<!DOCTYPE html>
<html lang="en">
<title>Orders</title>
<table>
{{#each rows}}
<tr{{#if paid}} class="paid"{{/if}}><td>{{id}}</td><td>{{name}}</td><td>{{city}}</td></tr>
{{/each}}
</table>
</html>
`
const FIELDS = /** @type {const} */ (['id', 'name', 'city', 'paid'])
/** Argument with which this file is started as the database. */
const DATABASE = 'database'
/** Connections of the client, the default of pg. */
const POOL = 10

/** @param {number} count */
const makeRows = count => Array.from({ length: count }, (_, i) =>
  ({ id: String(i), name: `O'Brien & ${i}`, city: `<City ${i % 17}>`, paid: i % 3 === 0 ? 'yes' : '' }))

/** @type {ServerFactory} */
export default async ({ options = {} }) => {
  const [{ default: express }, { default: handlebars }] =
    await Promise.all([import('express'), import('handlebars')])
  const count = Number(options.rows ?? about.options?.rows.default)
  const template = handlebars.compile(TEMPLATE)
  const findRows = options.database ? await connect(count) : () => makeRows(count)
  const app = express()
  // Without `trust proxy` req.ip is undefined over a Unix socket.
  app.set('trust proxy', 1)
  app.use(async (req, res) => {
    const html = template({ rows: await findRows() })
    res.type('html').set('Cache-Control', 'public').send(html)
  })
  return app
}

/**
 * Starts the database, and returns a function that reads its rows. Under every runtime the database runs under the Node
 * of PATH, and ends with this process, whose end closes its input.
 * @param {number} count of rows
 */
async function connect (count) {
  // @ts-expect-error the package has no types
  const { default: pg } = await import('pg')
  const file = fileURLToPath(import.meta.url)
  const database = spawn('node', [file, DATABASE, String(count)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [port] = await once(createInterface({ input: database.stdout }), 'line')
  const pool = new pg.Pool({ host: '127.0.0.1', port: Number(port), user: 'app', database: 'app', max: POOL })
  return async () => (await pool.query('SELECT * FROM orders LIMIT $1', [count])).rows
}

/** Returns a message of PostgreSQL. @type {(type: string, ...parts: (string | Buffer)[]) => Buffer} */
const toMessage = (type, ...parts) => {
  const body = Buffer.concat(parts.map(part => Buffer.from(part)))
  return Buffer.concat([Buffer.from(type), int(4 + body.length), body])
}

/** Returns an integer of 32 or 16 bits. @type {(value: number, bytes?: 2 | 4) => Buffer} */
const int = (value, bytes = 4) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeIntBE(value, 0, bytes)
  return buffer
}

/** Type text, of variable length, printed as text. */
const TEXT = Buffer.concat([int(0), int(0, 2), int(25), int(-1, 2), int(-1), int(0, 2)])
const READY = toMessage('Z', 'I')

/**
 * Returns the response to Parse, Bind, Describe, Execute and Sync
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 * @param {number} count of rows
 */
const toResponse = count => Buffer.concat([
  toMessage('1'),
  toMessage('2'),
  toMessage('T', int(FIELDS.length, 2), ...FIELDS.flatMap(name => [`${name}\0`, TEXT])),
  ...makeRows(count).map(row => toMessage('D', int(FIELDS.length, 2),
    ...FIELDS.flatMap(name => [int(Buffer.byteLength(row[name])), row[name]]))),
  toMessage('C', `SELECT ${count}\0`),
  READY
])

/** Listens as the database. @param {number} count of rows */
function serveRows (count) {
  const response = toResponse(count)
  const server = net.createServer(socket => {
    /** @type {Buffer} */
    let rest = Buffer.alloc(0)
    let isStarted = false
    socket.on('error', () => {})
    socket.on('data', chunk => {
      rest = Buffer.concat([rest, chunk])
      for (;;) {
        // The first message has no type.
        const start = isStarted ? 1 : 0
        const end = rest.length < start + 4 ? Infinity : start + rest.readInt32BE(start)
        if (rest.length < end) return
        const type = String.fromCharCode(rest[0])
        rest = rest.subarray(end)
        if (!isStarted) socket.write(Buffer.concat([toMessage('R', int(0)), READY]))
        else if (type === 'S') socket.write(response)
        else if (type === 'X') socket.end()
        isStarted = true
      }
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(/** @type {net.AddressInfo} */ (server.address()).port))
  process.stdin.resume().on('end', () => process.exit())
}

if (process.argv[2] === DATABASE) serveRows(Number(process.argv[3]))
