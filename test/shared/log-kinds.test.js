import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { countLogKinds, joinLogs } from '../../bench/shared/log-kinds.js'
import { tailReader } from '../../bench/machine/files/tail-reader.js'

const REUSING = '1024 worker_connections are not enough, reusing connections'
const REFUSED = 'failed (99: Cannot assign requested address) while connecting to upstream'
const REACHED = 'AH00161: server reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting'

/** Lines by what differs in them, with their kinds. @type {[string, string[], ReturnType<typeof countLogKinds>][]} */
const LINES = [
  ['time, process and connection', [
    `2026/11/21 16:03:41 [warn] 1234#1234: ${REUSING}`,
    `2026/11/21 16:03:42 [warn] 1235#1235: ${REUSING}`,
    '2026/11/21 16:03:42 [alert] 1235#1235: *2049 1024 worker_connections are not enough while connecting to ' +
    'upstream, client: 127.0.0.1, server: _, request: "GET / HTTP/1.1"',
    ''
  ], [
    { text: `[warn] ${REUSING}`, count: 2 },
    { text: '[alert] 1024 worker_connections are not enough while connecting to upstream', count: 1 }
  ]],
  ['address and port', [
    `2026/11/21 16:03:41 [crit] 7#7: *1 connect() to 127.0.0.1:3000 ${REFUSED}, client: 127.0.0.1`,
    `2026/11/21 16:03:41 [crit] 7#7: *2 connect() to 10.0.0.7:3001 ${REFUSED}, client: 127.0.0.1`
  ], [{ text: `[crit] connect() to 127.0.0.1:3000 ${REFUSED}`, count: 2 }]],
  ['thread of Apache', [
    `[Sat Nov 21 16:03:41.123456 2026] [mpm_prefork:error] [pid 12:tid 34] ${REACHED}`,
    `[Sat Nov 21 16:03:51.123456 2026] [mpm_prefork:error] [pid 12] ${REACHED}`
  ], [{ text: `[mpm_prefork:error] ${REACHED}`, count: 2 }]]
]
for (const [what, lines, kinds] of LINES) {
  t.test(`groups lines that differ in ${what}`, async t => t.strictSame(countLogKinds(lines), kinds))
}

t.test('does not name the home folder of the account', async t => {
  t.match(countLogKinds(["Command line: '/home/me/.cache/apache2 -d /srv'"], '/home/me'),
    [{ text: "Command line: '~/.cache/apache2 -d /srv'", count: 1 }])
})

t.test('returns the ten most frequent kinds with shortened texts', async t => {
  const lines = Array.from({ length: 30 }, (_, i) => `${'ab'.repeat(i + 1)} failed`)
  const counts = countLogKinds([...lines, 'ab failed', 'ab failed'])
  t.equal(counts.length, 10)
  t.same(counts[0], { text: 'ab failed', count: 3 })
  t.ok(countLogKinds([`x${'y'.repeat(5000)}`])[0].text.length < 300)
})

t.test('merges the kinds of several trials', async t => {
  t.same(
    joinLogs([{ text: '[warn] 1024 are not enough', count: 3 }, { text: '[alert] other', count: 1 }, {
      text: '[warn] 512 are not enough',
      count: 4
    }]),
    [
      { text: '[warn] 1024 are not enough', count: 7 },
      { text: '[alert] other', count: 1 }
    ]
  )
})

t.test('counts only lines added since the previous reading', async t => {
  const file = join(t.testdir({}), 'error.log')
  const log = tailReader(file)
  t.teardown(() => log.close())
  const read = () => countLogKinds(log.lines())
  t.same(read(), [], 'there is no log yet')
  writeFileSync(file,
    '2026/11/21 16:03:41 [alert] 1#1: setrlimit(RLIMIT_NOFILE, 20992) failed (1: Operation not permitted)\n')
  t.equal(read().length, 1)
  t.same(read(), [])
  appendFileSync(file,
    '2026/11/21 16:03:42 [warn] 1#1: 64 worker_connections are not enough, reusing connections\n'.repeat(20000))
  t.same(read(), [{ text: '[warn] 64 worker_connections are not enough, reusing connections', count: 20000 }],
    'counts all new lines')
})
