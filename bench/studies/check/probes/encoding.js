// Compressed responses (Accept-Encoding).
import { differs, fail, pass, rfc9110, worst } from '../outcome.js'
import { PAGE } from '../site.js'
import { decoded } from '../../../machine/content-encoding.js'

/** @import { CheckResponse, Context, Topic } from '../types.js' */

const PLAIN = differs('it does not compress')

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
  return found === coding
    ? pass(`${response.body.length} bytes instead of ${PAGE.length}`)
    : fail(`${found}, which was not requested`)
}

/**
 * @param {Context} context
 * @param {string} accept
 * @param {string} refused
 */
async function refuses (context, accept, refused) {
  const found = codingOf(await page(context, accept))
  return found === refused ? fail(`${accept} gets ${refused}`) : pass(`${accept} gets ${found ?? 'no encoding'}`)
}

/** @type {Topic} */
export default {
  topic: 'Compression',
  probes: [
    rfc9110('gzip', 'gzip for clients that accept it', '12.5.3', context => compresses(context, 'gzip')),
    rfc9110('brotli', 'brotli for clients that accept it', '12.5.3', context => compresses(context, 'br')),
    rfc9110('encoding-q0', 'q=0 means not at all', '12.5.3', async context => worst([
      await refuses(context, 'gzip;q=0', 'gzip'),
      await refuses(context, 'br;q=0', 'br'),
      await refuses(context, 'gzip;q=0, *', 'gzip')
    ])),
    rfc9110('encoding-weights', 'of two encodings the one with the greater weight', '12.5.3', async context => {
      if (codingOf(await page(context, 'gzip, br')) === null) return PLAIN
      const both = [codingOf(await page(context, 'gzip;q=0.9, br;q=0.1')),
        codingOf(await page(context, 'gzip;q=0.1, br;q=0.9'))]
      return both[0] === 'gzip' && both[1] === 'br'
        ? pass('both ways')
        : differs(`${both[0] ?? 'none'} where gzip weighs more, ${both[1] ?? 'none'} where brotli does`)
    }),
    rfc9110('vary', 'Vary says that the response depends on Accept-Encoding', '12.5.5', async context => {
      const [packed, plain] = [await page(context, 'gzip'), await page(context, 'identity')]
      if (codingOf(packed) === null) return PLAIN
      const without = [packed, plain].filter(({ headers }) =>
        !/(^|,)\s*(accept-encoding|\*)\s*(,|$)/i.test(headers.vary ?? '')
      )
      if (without.length === 0) return pass('on both responses')
      return fail(
        without.length === 2
          ? 'no Vary: a cache sends gzip to clients that do not accept it'
          : `no Vary on the ${without[0] === packed ? 'compressed' : 'plain'} response`
      )
    }),
    rfc9110('encoding-etag', 'a strong ETag is another one for the compressed bytes', '8.8.3.3', async context => {
      const [packed, plain] = [await page(context, 'gzip'), await page(context, 'identity')]
      if (codingOf(packed) === null) return PLAIN
      const { etag } = packed.headers
      if (etag === undefined || etag !== plain.headers.etag || etag.startsWith('W/')) {
        return pass(etag === undefined ? 'no ETag' : etag.startsWith('W/') ? 'a weak one' : 'another one')
      }
      return fail('the same strong ETag for both')
    }),
    rfc9110('encoding-range', 'a part of a compressed response is a part of the bytes it names', '14.2',
      async context => {
        const whole = await page(context, 'gzip')
        const response = await page(context, 'gzip', { Range: 'bytes=0-99' })
        if (response.status === 200) {
          return decoded(response.body, codingOf(response))?.toString() === PAGE
            ? pass('200 with the whole page')
            : fail('200, and the body is not the page')
        }
        if (response.status !== 206) return fail(`status ${response.status}`)
        const of = codingOf(response) === null ? Buffer.from(PAGE) : whole.body
        const right = response.body.equals(of.subarray(0, 100)) &&
          response.headers['content-range'] === `bytes 0-99/${of.length}`
        const which = codingOf(response) ?? 'plain'
        return right
          ? pass(`206 of the ${which} bytes`)
          : fail(`206, said to be of the ${which} bytes, with other bytes or another length`)
      })
  ]
}
