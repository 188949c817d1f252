/**
 * Program with many persistent client connections. Arguments: URL, number of clients. Prints "ready" when each client
 * has a response. After any input on stdin each client sends another request. Prints "sent", and then the number of
 * responses by status or error as JSON.
 */
import http from 'node:http'
import { once } from 'node:events'

const [url, clients] = process.argv.slice(2)
const agent = new http.Agent({ keepAlive: true, maxSockets: Number(clients) })

/** @returns {{ sent: Promise<void>, answer: Promise<string> }} answer: status, or message of the error */
function sendRequest () {
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

const sendAll = () => Array.from({ length: Number(clients) }, sendRequest)

await Promise.all(sendAll().map(({ answer }) => answer))
console.log('ready')
await once(process.stdin, 'data')
const requests = sendAll()
await Promise.all(requests.map(({ sent }) => sent))
console.log('sent')
const answers = await Promise.all(requests.map(({ answer }) => answer))
console.log(JSON.stringify(answers.reduce((counts, answer) => ({ ...counts, [answer]: (counts[answer] ?? 0) + 1 }),
  /** @type {Record<string, number>} */ ({}))))
process.exit()
