// Compressed responses (Accept-Encoding).
import { differs, fail, findWorst, pass, probe, rfc9110, untested } from '../outcome.js'
import { PAGE, TEXT } from '../site.js'
import { decoded } from '../../../machine/content-encoding.js'

/** @import { CheckResponse, Context, Topic } from '../types.js' */

const PLAIN = differs('it does not compress')
/** Ranges of a page, with the bytes that they name. @type {[string, (bytes: Buffer) => [number, number]][]} */
const RANGES = [['bytes=0-99', () => [0, 99]], ['bytes=-50', ({ length }) => [length - 50, length - 1]],
  ['bytes=1000-', ({ length }) => [1000, length - 1]]]

/** Responses for which CPU time is measured: at 4 ms each, a multiple of what the garbage collector uses. */
const REPETITIONS = 10
/** CPU time of compression in milliseconds: 500 KB of digits take gzip -1 ten. */
const MIN_EXTRA_MS = 4
/**
 * Least ratio of CPU times with and without compression. Measured on two cores with a load of 20 to 30: 3.8 to 14.6 in
 * 96 probes of servers that compress anew (compression, serve-handler, srvx), 0.4 to 1.2 in 48 of others (st, which
 * keeps compressed bytes; connect-static and sirv). A server that is slower without compression has a lower ratio.
 */
const MIN_RATIO = 2.5
const RECOMPRESS_COMMAND = 'for c in identity gzip; do a=$(awk \'{ print $14 + $15 }\' "/proc/$PID/stat"); for i in ' +
  '1 2 3 4 5 6 7 8 9 10; do curl -s -o /dev/null -H "Accept-Encoding: $c" "$URL/text.txt"; done; awk -v a="$a" -v ' +
  'c="$c" \'{ print c ": " $14 + $15 - a " ms of CPU time for each response" }\' "/proc/$PID/stat"; done'
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

/**
 * Compares the CPU time of repeated responses with and without compression.
 *
 * @param {Context} context
 */
async function recompress ({ request, proxied, cpuSeconds }) {
  if (proxied) return untested('measured without a proxy')
  const get = (/** @type {string} */ coding) => request('/text.txt', { 'Accept-Encoding': coding })
  const measure = async (/** @type {string} */ coding) => {
    const before = cpuSeconds() ?? NaN
    for (let i = 0; i < REPETITIONS; i++) await get(coding)
    return ((cpuSeconds() ?? NaN) - before) * 1000 / REPETITIONS
  }
  const response = await get('gzip')
  if (codingOf(response) === null) return pass('it does not compress this file')
  if (decoded(response.body, codingOf(response))?.toString() !== TEXT) return fail('the body is not the file')
  await measure('identity') // fills caches
  const first = [await measure('identity'), await measure('gzip')]
  const second = [await measure('identity'), await measure('gzip')]
  // The garbage collector works in some of the measurements only.
  const [plainMs, packedMs] = first.map((ms, i) => Math.min(ms, second[i]))
  if (Number.isNaN(packedMs - plainMs)) return untested('this system does not show the CPU time of a process')
  const saw = `${packedMs.toFixed(1)} ms of CPU time for each compressed response, ${plainMs.toFixed(1)} ms without`
  const isAnew = packedMs - plainMs > MIN_EXTRA_MS && packedMs > MIN_RATIO * plainMs
  return isAnew ? differs(saw, packedMs, RECOMPRESS_COMMAND) : pass(saw)
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
      const [plain, packed] = [await page(context, 'identity'), await page(context, 'gzip')]
      if (codingOf(packed) === null) return PLAIN
      const without = [packed, plain].filter(({ headers }) => !VARIES.test(headers.vary ?? ''))
      if (without.length === 0) return pass('on both responses')
      if (without.length === 2) return fail('no Vary: a cache sends gzip to clients that do not accept it')
      return fail(`no Vary on the ${without[0] === packed ? 'compressed' : 'plain'} response`)
    }),
    rfc9110('encoding-etag', 'a strong ETag is another one for the compressed bytes', '8.8.3.3', async context => {
      const [plain, packed] = [await page(context, 'identity'), await page(context, 'gzip')]
      if (codingOf(packed) === null) return PLAIN
      const { etag } = packed.headers
      if (etag === undefined) return pass('no ETag')
      if (etag.startsWith('W/')) return pass('a weak one')
      return etag === plain.headers.etag ? fail('the same strong ETag for both') : pass('another one')
    }),
    rfc9110('encoding-range', 'a part of a compressed response is a part of the bytes it names', '14.2',
      context => findWorst(RANGES, async ([range, toEnds]) => {
        const whole = await page(context, 'gzip')
        const response = await page(context, 'gzip', { Range: range })
        const coding = codingOf(response)
        if (response.status === 200) {
          const isPage = decoded(response.body, coding)?.toString() === PAGE
          return isPage ? pass('200 with the whole page') : fail('200, and the body is not the page')
        }
        if (response.status !== 206) return fail(`status ${response.status}`)
        const of = coding === null ? Buffer.from(PAGE) : whole.body
        const label = `of the ${coding ?? 'plain'} bytes`
        const [first, last] = toEnds(of)
        const isRange = response.headers['content-range'] === `bytes ${first}-${last}/${of.length}`
        if (isRange && response.body.equals(of.subarray(first, last + 1))) return pass(`206 ${label}`)
        return fail(`206, said to be ${label}, with other bytes or another length`)
      })),
    {
      ...probe('recompress', 'a file is compressed once, and not for each response', null, recompress),
      alone: /** @type {const} */ (true)
    }
  ]
}
