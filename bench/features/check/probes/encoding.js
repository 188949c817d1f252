// Compressed responses (Accept-Encoding).
import { differs, fail, findWorst, pass, rfc9110 } from '../outcome.js'
import { PAGE } from '../site.js'
import { decoded } from '../../../machine/content-encoding.js'

/** @import { CheckResponse, Context, Topic } from '../types.js' */

const PLAIN = differs('it does not compress')
const VARIES = /(^|,)\s*(accept-encoding|\*)\s*(,|$)/i

/**
 * @param {Context} context
 * @param {string} accept
 * @param {Record<string, string>} [headers]
 */
const page = ({ request }, accept, headers = {}) => request('/page.html', { 'Accept-Encoding': accept, ...headers })

/** @param {CheckResponse} response */
const codingOf = response => response.headers['content-encoding'] ?? null

/**
 * @param {Context} context
 * @param {string} coding
 */
async function compresses (context, coding) {
  const response = await page(context, coding)
  const found = codingOf(response)
  if (response.status !== 200) return fail(`status ${response.status}`)
  if (decoded(response.body, found)?.toString() !== PAGE) {
    return fail(`${found ?? 'no encoding'}, and the body is not the page`)
  }
  if (found === null) return differs(`it does not compress with ${coding}`)
  if (found !== coding) return fail(`${found}, which was not requested`)
  return pass(`${response.body.length} bytes instead of ${PAGE.length}`)
}

/**
 * @param {Context} context
 * @param {string} accept begins with the refused encoding
 */
async function rejects (context, accept) {
  const [refused] = accept.split(';')
  const found = codingOf(await page(context, accept))
  return found === refused ? fail(`${accept} gets ${refused}`) : pass(`${accept} gets ${found ?? 'no encoding'}`)
}

/** @type {Topic} */
export default {
  topic: 'Compression',
  probes: [
    rfc9110('gzip', 'gzip for clients that accept it', '12.5.3', context => compresses(context, 'gzip')),
    rfc9110('brotli', 'brotli for clients that accept it', '12.5.3', context => compresses(context, 'br')),
    rfc9110('encoding-q0', 'q=0 means not at all', '12.5.3', context =>
      findWorst(['gzip;q=0', 'br;q=0', 'gzip;q=0, *'], accept => rejects(context, accept))),
    rfc9110('encoding-weights', 'of two encodings the one with the greater weight', '12.5.3', async context => {
      if (codingOf(await page(context, 'gzip, br')) === null) return PLAIN
      const first = codingOf(await page(context, 'gzip;q=0.9, br;q=0.1'))
      const second = codingOf(await page(context, 'gzip;q=0.1, br;q=0.9'))
      if (first === 'gzip' && second === 'br') return pass('both ways')
      return differs(`${first ?? 'none'} where gzip weighs more, ${second ?? 'none'} where brotli does`)
    }),
    rfc9110('vary', 'Vary says that the response depends on Accept-Encoding', '12.5.5', async context => {
      const [packed, plain] = [await page(context, 'gzip'), await page(context, 'identity')]
      if (codingOf(packed) === null) return PLAIN
      const without = [packed, plain].filter(({ headers }) => !VARIES.test(headers.vary ?? ''))
      if (without.length === 0) return pass('on both responses')
      if (without.length === 2) return fail('no Vary: a cache sends gzip to clients that do not accept it')
      return fail(`no Vary on the ${without[0] === packed ? 'compressed' : 'plain'} response`)
    }),
    rfc9110('encoding-etag', 'a strong ETag is another one for the compressed bytes', '8.8.3.3', async context => {
      const [packed, plain] = [await page(context, 'gzip'), await page(context, 'identity')]
      if (codingOf(packed) === null) return PLAIN
      const { etag } = packed.headers
      if (etag === undefined) return pass('no ETag')
      if (etag.startsWith('W/')) return pass('a weak one')
      return etag === plain.headers.etag ? fail('the same strong ETag for both') : pass('another one')
    }),
    rfc9110('encoding-range', 'a part of a compressed response is a part of the bytes it names', '14.2',
      async context => {
        const whole = await page(context, 'gzip')
        const response = await page(context, 'gzip', { Range: 'bytes=0-99' })
        const coding = codingOf(response)
        if (response.status === 200) {
          const isPage = decoded(response.body, coding)?.toString() === PAGE
          return isPage ? pass('200 with the whole page') : fail('200, and the body is not the page')
        }
        if (response.status !== 206) return fail(`status ${response.status}`)
        const of = coding === null ? Buffer.from(PAGE) : whole.body
        const label = `of the ${coding ?? 'plain'} bytes`
        const isRange = response.headers['content-range'] === `bytes 0-99/${of.length}`
        if (isRange && response.body.equals(of.subarray(0, 100))) return pass(`206 ${label}`)
        return fail(`206, said to be ${label}, with other bytes or another length`)
      })
  ]
}
