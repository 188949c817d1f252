/** Clients that keep their connections, and send all at once when asked to: URL and how many as arguments. Says
 * "ready" when each has an answer, "sent" when each has sent another request, and then what became of these. */
import http from 'node:http'
import { once } from 'node:events'

const [url, clients] = process.argv.slice(2)
const agent = new http.Agent({ keepAlive: true, maxSockets: Number(clients) })

/** @returns {{ sent: Promise<void>, answer: Promise<string> }} answer: its status, or why there is none */
function ask () {
  const request = http.get(url, { agent })
  /** @type {Promise<void>} */
  const sent = new Promise(resolve => request.on('finish', () => resolve()).on('error', () => resolve()))
  const answer = new Promise(resolve => {
    request.on('error', ({ message }) => resolve(message)).on('response', response => {
      response.resume().on('end', () => resolve(String(response.statusCode))).on('error', resolve)
    })
  })
  return { sent, answer }
}

const all = () => Array.from({ length: Number(clients) }, ask)

await Promise.all(all().map(({ answer }) => answer))
console.log('ready')
await once(process.stdin, 'data')
const asked = all()
await Promise.all(asked.map(({ sent }) => sent))
console.log('sent')
const answers = await Promise.all(asked.map(({ answer }) => answer))
console.log(JSON.stringify(answers.reduce((counts, answer) => ({ ...counts, [answer]: (counts[answer] ?? 0) + 1 }),
  /** @type {Record<string, number>} */ ({}))))
process.exit()
