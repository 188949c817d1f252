// Accept-Encoding: compressed answers, and who may get them.
import { differs, fail, pass, worst } from '../outcome.js'
import { PAGE } from '../site.js'
import { decoded } from '../../../machine/content-encoding.js'

/** @import { Answer, Context, Finding, Topic } from '../types.js' */

const PLAIN = differs('it does not compress')

/**
 * @param {Context} context
 * @param {string} accept
 * @param {Record<string, string>} [headers]
 */
const page = ({ ask }, accept, headers = {}) => ask('/page.html', { 'Accept-Encoding': accept, ...headers })

/** @param {Answer} answer */
const codingOf = answer => answer.headers['content-encoding'] ?? null

/**
 * @param {string} name
 * @param {string} title
 * @param {string} section of RFC 9110
 * @param {(context: Context) => Promise<Finding>} run
 */
const probe = (name, title, section, run) => ({ name, title, rfc: `RFC 9110, ${section}`, safety: false, run })

/**
 * @param {Context} context
 * @param {string} coding
 */
async function compresses (context, coding) {
  const answer = await page(context, coding)
  const found = codingOf(answer)
  if (answer.status !== 200) return fail(`status ${answer.status}`)
  if (decoded(answer.body, found)?.toString() !== PAGE) {
    return fail(`${found ?? 'no encoding'}, and the body is not the page`)
  }
  if (found === null) return differs(`it does not compress with ${coding}`)
  return found === coding
    ? pass(`${answer.body.length} bytes instead of ${PAGE.length}`)
    : fail(`${found}, which was not asked for`)
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
    probe('gzip', 'gzip for those who take it', '12.5.3', context => compresses(context, 'gzip')),
    probe('brotli', 'brotli for those who take it', '12.5.3', context => compresses(context, 'br')),
    probe('encoding-q0', 'q=0 means not at all', '12.5.3', async context => worst([
      await refuses(context, 'gzip;q=0', 'gzip'),
      await refuses(context, 'br;q=0', 'br'),
      await refuses(context, 'gzip;q=0, *', 'gzip')
    ])),
    probe('encoding-weights', 'of two encodings the one with the greater weight', '12.5.3', async context => {
      if (codingOf(await page(context, 'gzip, br')) === null) return PLAIN
      const both = [codingOf(await page(context, 'gzip;q=0.9, br;q=0.1')),
        codingOf(await page(context, 'gzip;q=0.1, br;q=0.9'))]
      return both[0] === 'gzip' && both[1] === 'br'
        ? pass('both ways')
        : differs(`${both[0] ?? 'none'} where gzip weighs more, ${both[1] ?? 'none'} where brotli does`)
    }),
    probe('vary', 'Vary says that the answer depends on Accept-Encoding', '12.5.5', async context => {
      const [packed, plain] = [await page(context, 'gzip'), await page(context, 'identity')]
      if (codingOf(packed) === null) return PLAIN
      const without = [packed, plain].filter(({ headers }) =>
        !/(^|,)\s*(accept-encoding|\*)\s*(,|$)/i.test(headers.vary ?? '')
      )
      if (without.length === 0) return pass('on both answers')
      return fail(
        without.length === 2
          ? 'no Vary: a cache gives gzip to those who cannot read it'
          : `no Vary on the ${without[0] === packed ? 'compressed' : 'plain'} answer`
      )
    }),
    probe('encoding-etag', 'a strong ETag is another one for the compressed bytes', '8.8.3.3', async context => {
      const [packed, plain] = [await page(context, 'gzip'), await page(context, 'identity')]
      if (codingOf(packed) === null) return PLAIN
      const { etag } = packed.headers
      if (etag === undefined || etag !== plain.headers.etag || etag.startsWith('W/')) {
        return pass(etag === undefined ? 'no ETag' : etag.startsWith('W/') ? 'a weak one' : 'another one')
      }
      return fail('the same strong ETag for both')
    }),
    probe('encoding-range', 'a part of a compressed answer is a part of the bytes it names', '14.2',
      async context => {
        const whole = await page(context, 'gzip')
        const answer = await page(context, 'gzip', { Range: 'bytes=0-99' })
        if (answer.status === 200) {
          return decoded(answer.body, codingOf(answer))?.toString() === PAGE
            ? pass('200 with the whole page')
            : fail('200, and the body is not the page')
        }
        if (answer.status !== 206) return fail(`status ${answer.status}`)
        const of = codingOf(answer) === null ? Buffer.from(PAGE) : whole.body
        const right = answer.body.equals(of.subarray(0, 100)) &&
          answer.headers['content-range'] === `bytes 0-99/${of.length}`
        const which = codingOf(answer) ?? 'plain'
        return right
          ? pass(`206 of the ${which} bytes`)
          : fail(`206, said to be of the ${which} bytes, with other bytes or another length`)
      })
  ]
}
