import t from '../support/tap.js'
import apache from '../../proxy/apache.js'

const STATUS = `localhost
ServerMPM: prefork
Total Accesses: 60210
Total kBytes: 61655
BusyWorkers: 3
IdleWorkers: 2
Scoreboard: W_K_W
`

t.test('reads the counters with the clock of Apache, at the middle of the response time', async t => {
  t.strictSame(apache.counters.parse(STATUS, { 'x-msec': 't=1700000000123456 D=2000' }),
    { atSeconds: 1700000000.124456, connections: null, requests: 60210 })
  t.throws(() => apache.counters.parse(STATUS, {}), /does not contain its counters/, 'requires the clock')
  t.throws(
    () => apache.counters.parse(STATUS.replace('Total Accesses', 'Total'), { 'x-msec': 't=1700000000123456 D=2000' }),
    /does not contain its counters/
  )
})

t.test('is ready when all processes are ready', async t => {
  t.equal(apache.counters.isReady?.(STATUS), true)
  t.equal(apache.counters.isReady?.(STATUS.replace('W_K_W', 'W_S_W')), false, 'one process is starting')
  t.equal(apache.counters.isReady?.(STATUS.replace('W_K_W', 'W_K..')), false, 'two processes are missing')
  t.equal(apache.counters.isReady?.('<html>'), false)
  const event = STATUS.replace('prefork', 'event')
  t.equal(apache.counters.isReady?.(event.replace('W_K_W', '__......')), true, 'three of four slots are spare')
  t.equal(apache.counters.isReady?.(event.replace('W_K_W', '_.......')), false, 'one process is missing')
  t.equal(apache.counters.isReady?.(event.replace('W_K_W', '_S......')), false, 'one process is starting')
})

t.test('reads errors and cache misses from the log', async t => {
  const line = (/** @type {string} */ rest) => apache.counters.parseLogLine(`1700000000.123456 ${rest}`)
  const at = { atSeconds: 1700000000.123456 }
  t.strictSame(line('503 "-" "-" "-"'), { ...at, status: 503, cache: null })
  t.strictSame(line('200 "-" "-" "cache miss: attempting entity save"'), { ...at, status: 200, cache: 'MISS' })
  t.strictSame(line('200 "-" "conditional cache miss: entity refreshed" "-"'), { ...at, status: 200, cache: 'EXPIRED' })
  t.strictSame(line('500 "cache hit" "-" "-"'), { ...at, status: 500, cache: 'HIT' })
  t.equal(line('200'), null)
})

t.test('reads the version and the compiled-in modules of Debian and upstream builds', async t => {
  t.equal(apache.version.parse('Server version: Apache/2.4.57 (Debian)\nServer built: 2023-04-13T03:26:51'), '2.4.57')
  t.equal(apache.version.parse('Server version: Apache/2.4.62 (Unix)'), '2.4.62')
  t.strictSame(apache.modules?.builtIn.parse('Compiled in modules:\n  core.c\n  mod_so.c\n  prefork.c\n'), ['core.c',
    'mod_so.c', 'prefork.c'])
})
