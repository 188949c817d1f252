import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { readLogProfile, readProfile } from '../../../../bench/features/size/capacity/profile.js'

const START = Date.UTC(2026, 0, 5)
const MONTHS = ['Jan', 'Feb']

/** Returns a line of the combined format. @param {Date} date */
const toCombined = date => {
  const [day, clock] = date.toISOString().split('T')
  const [year, month, dayOfMonth] = day.split('-')
  const time = `${dayOfMonth}/${MONTHS[Number(month) - 1]}/${year}:${clock.slice(0, 8)} +0000`
  return `192.0.2.1 - - [${time}] "GET /a?b=[c] HTTP/1.1" 200 512 "-" "curl/8.0"`
}

/**
 * Returns a log of whole hours, with twice as many requests from 12:00 to 18:00 UTC.
 *
 * @param {(date: Date) => string} toLine
 * @param {number} [hours]
 */
const makeLog = (toLine, hours = 72) => Array.from({ length: hours }, (_, hour) => {
  const requests = hour % 24 >= 12 && hour % 24 < 18 ? 200 : 100
  return Array.from({ length: requests }, (_, i) => toLine(new Date(START + (hour * 3600 + i) * 1000))).join('\n')
}).join('\n') + '\n'

/** Shares of the hours of these logs. */
const EXPECTED = Array.from({ length: 24 }, (_, hour) => hour >= 12 && hour < 18 ? 1 : 0.5)

t.test('reads the shares of each hour from the combined format and from JSON lines', async t => {
  const file = join(t.testdir({}), 'access.log')
  /** @type {Record<string, (date: Date) => string>} */
  const lines = {
    combined: toCombined,
    iso: date => JSON.stringify({ level: 30, time: date.toISOString() }),
    milliseconds: date => JSON.stringify({ time: date.getTime() }),
    seconds: date => JSON.stringify({ ts: date.getTime() / 1000 }),
    text: date => JSON.stringify({ msec: (date.getTime() / 1000).toFixed(3) })
  }
  for (const [name, toLine] of Object.entries(lines)) {
    writeFileSync(file, makeLog(toLine))
    t.same(readLogProfile(file), { shares: EXPECTED }, name)
  }
  t.same(readProfile(file), { name: file, shares: EXPECTED })
})

t.test('converts the zones of a log to UTC', async t => {
  const file = join(t.testdir({}), 'access.log')
  writeFileSync(file, makeLog(date => toCombined(date).replace('+0000', '+0200')))
  const { shares } = readProfile(file)
  t.same(shares, EXPECTED.map((_, hour) => EXPECTED[(hour + 2) % 24]))
})

t.test('leaves out the first and the last hour of a log of more than a day', async t => {
  const file = join(t.testdir({}), 'access.log')
  const [first, ...others] = makeLog(toCombined, 49).split('\n')
  writeFileSync(file, [first, ...others.slice(99)].join('\n'))
  t.same(readProfile(file).shares, EXPECTED)
})

t.test('divides the requests of an hour by the time that the log covers of it', async t => {
  const file = join(t.testdir({}), 'access.log')
  // A request every 30 s, over 24 h from 06:25 and over 23 h 15 min from 10:30.
  for (const [from, minutes] of [[385, 1440], [630, 1395]]) {
    const times = Array.from({ length: 2 * minutes + 1 }, (_, i) => START + from * 60_000 + i * 30_000)
    writeFileSync(file, times.map(ms => toCombined(new Date(ms))).join('\n'))
    const { shares } = readProfile(file)
    t.ok(Math.min(...shares) > 0.95, `from minute ${from}: ${Math.min(...shares)}`)
  }
})

t.test('skips lines without a time and the rest of lines that are too long', async t => {
  const file = join(t.testdir({}), 'access.log')
  const long = `${toCombined(new Date(START))} ${'x'.repeat(3 * 2 ** 20)}`
  const bad = ['{"time":', '[99/Xyz/2026:00:00:00 +0000]', '{"time":{}}', '\0\0', 'x'.repeat(3 * 2 ** 20)]
  writeFileSync(file, [...bad, makeLog(toCombined, 48), long, ...bad].join('\n'))
  const { shares } = readProfile(file)
  t.same(shares.slice(1), EXPECTED.slice(1))
})

t.test('rejects logs from which a day cannot be computed', async t => {
  const dir = t.testdir({})
  const file = join(dir, 'access.log')
  const day = makeLog(toCombined, 24)
  /** @type {[string, RegExp][]} */
  const faults = [
    [makeLog(toCombined, 23), /it covers 23 hours/],
    [day.split('\n').filter((_, i) => i % 4 === 0).join('\n'), /it has 750 requests/],
    [day + `${toCombined(new Date(START)).replace('2026', '1999')}\n`, /more than two years apart/],
    [`${JSON.stringify({ time: 0 })}\n${JSON.stringify({ time: 1e300 })}\n`, /more than two years apart/],
    [day + 'no time\n'.repeat(4000), /3000 of its 7000 lines have a time/],
    ['no time\n'.repeat(100), /its lines have no time/]
  ]
  for (const [text, why] of faults) {
    writeFileSync(file, text)
    t.throws(() => readProfile(file), { code: 'bad-profile', message: why })
  }
  t.throws(() => readProfile(dir), { code: 'bad-profile' })
  t.throws(() => readProfile('/dev/zero'), { code: 'bad-profile', message: /not a plain file/ })
})
