import t from './tap.js'
import { byH2load, byWrk, compareWithStored, readContrast } from './by-hand.js'

t.test('a ratio by hand agrees if its middle half overlaps the stored interval, or if it is near', async t => {
  const stored = { run: 'r', ratio: 2, low: 1.9, high: 2.1 }
  const agrees = (/** @type {number[]} */ ...ratios) => compareWithStored('x', ratios, stored).agrees
  t.equal(agrees(2.05, 2.1, 2.6, 2.7, 2.8), true, 'the middle half begins at 2.1')
  t.equal(agrees(2.05, 2.15, 2.6, 2.7, 2.8), false)
  t.equal(agrees(2.15, 2.17, 2.19), true, 'less than 10 % away')
  t.equal(agrees(2.21, 2.22, 2.23), false)
  t.equal(compareWithStored('x', [1, 2, 3], stored).row, '| x | 2.00 (1.50 to 2.50) | 2.00 (1.90 to 2.10), r |')
})

t.test('reads the rate of each generator, and rejects failed requests', async t => {
  const wrk = byWrk('wrk', 1)('http://127.0.0.1/', 1)
  t.equal(wrk.read('Requests/sec:  12345.67\n'), 12345.67)
  t.throws(() => wrk.read('  Non-2xx or 3xx responses: 3\nRequests/sec: 1\n'), /Non-2xx or 3xx responses: 3/)
  const h2load = byH2load('h2load', 1)('http://127.0.0.1/', 1)
  t.equal(h2load.read('finished in 1.00s, 2345.50 req/s, 1MB/s\nrequests: 5 total, 5 succeeded, 0 failed'), 2345.5)
  t.throws(() => h2load.read('finished in 1s, 2 req/s\nrequests: 5 total, 4 succeeded, 1 failed'), /1 of 4 requests/)
})

t.test('reads the contrast of the last stored run that has it', async t => {
  t.match(readContrast('cache', 'uds-keepalive-cache', 'uds-keepalive'), { run: /Z-cache$/ })
  t.throws(() => readContrast('cache', 'x', 'y'), /no stored run of cache compares x with y/)
})
