/** Real output of the engines: h2load 1.52.0, ab 2.3, oha 1.16.0 and OpenSSL 3.0.19. */

/**
 * @param {string} clients
 * @param {string} report
 */
const h2loadSays = (clients, report) => `starting benchmark...
spawning thread #0: ${clients} total client(s). ${[
  'Timing-based test with 0s of warm-up time and 2s of main duration for measurements.'
]}
Warm-up started for thread #0.
progress: 100% of clients started
Application protocol: http/1.1
Main benchmark duration is over for thread #0. Stopping all clients.

${report}`

export const H2LOAD = {
  ok: h2loadSays('100', `finished in 2.01s, 17765.00 req/s, 21.41MB/s
requests: 35530 total, 35630 started, 35530 done, 35530 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 35530 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 42.83MB (44909920) total, 6.42MB (6734070) headers (space savings 0.00%), 34.79MB (36485120) data
                     min         max         mean         sd        +/- sd
time for request:      823us     32.70ms      5.61ms      3.48ms    78.61%
time for connect:       13us      1.02ms       499us       387us    49.00%
time to 1st byte:     8.44ms      8.96ms      8.64ms       150us    64.00%
req/s           :     171.04      182.97      177.18        2.78    66.00%
`),
  // Every connection was reset after about 50 responses, which h2load does not report.
  reset: h2loadSays('10', `finished in 2.01s, 245.00 req/s, 30.39KB/s
requests: 490 total, 500 started, 490 done, 490 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 490 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 60.77KB (62230) total, 41.63KB (42630) headers (space savings 0.00%), 2.39KB (2450) data
                     min         max         mean         sd        +/- sd
time for request:       48us     28.73ms      1.63ms      3.30ms    96.94%
time for connect:        9us        68us        42us        18us    60.00%
time to 1st byte:     2.23ms      2.25ms      2.24ms         8us    70.00%
req/s           :     248.19      974.89      525.23      200.40    80.00%
`),
  refused: h2loadSays('10', `finished in 1.00s, 0.00 req/s, 0B/s
requests: 0 total, 0 started, 0 done, 0 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 0 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 0B (0) total, 0B (0) headers (space savings 0.00%), 0B (0) data
                     min         max         mean         sd        +/- sd
time for request:        0us         0us         0us         0us     0.00%
time for connect:        0us         0us         0us         0us     0.00%
time to 1st byte:        0us         0us         0us         0us     0.00%
req/s           :       0.00        0.00        0.00        0.00   100.00%
`)
}

/** @param {string} middle */
const abSays = middle => `Server Software:        nginx/1.22.1
Document Path:          /err
Document Length:        Variable

Concurrency Level:      10
${middle}
Requests per second:    18497.02 [#/sec] (mean)

Percentage of the requests served within a certain time (ms)
  50%      0
  99%      4
 100%      8 (longest request)
`
export const AB = {
  errors: abSays(`Time taken for tests:   1.001 seconds
Complete requests:      18517
Failed requests:        0
Non-2xx responses:      18517
Keep-Alive requests:    18517
Total transferred:      6925358 bytes
HTML transferred:       3647849 bytes`),
  reset: abSays(`Time taken for tests:   1.001 seconds
Complete requests:      2158
Failed requests:        86
   (Connect: 0, Receive: 43, Length: 0, Exceptions: 43)
Total transferred:      169200 bytes
HTML transferred:       10575 bytes`),
  refused: abSays(`Time taken for tests:   1.000 seconds
Complete requests:      22346
Failed requests:        33519
   (Connect: 0, Receive: 22346, Length: 0, Exceptions: 11173)
Keep-Alive requests:    0
Total transferred:      0 bytes
HTML transferred:       0 bytes`),
  notKept: abSays(`Time taken for tests:   1.000 seconds
Complete requests:      1643
Failed requests:        0
Keep-Alive requests:    0
Total transferred:      133164 bytes
HTML transferred:       9864 bytes`)
}

/**
 * @param {{ total?: number, slowest?: number | null }} summary
 * @param {Record<string, number>} statuses
 * @param {Record<string, number>} errors
 */
export const ohaSays = ({ total = 2.005238499, slowest = 0.0205 }, statuses, errors) => JSON.stringify({
  summary: { successRate: 0.98, total, slowest, requestsPerSec: 490.2, totalData: 4815 },
  latencyPercentiles: { p10: 0.0001, p50: 0.000265486, p75: 0.0004, p90: 0.001093633, p95: 0.00325, p99: 0.008900975 },
  statusCodeDistribution: statuses,
  errorDistribution: errors
})

/** @param {number} count */
export const sTimeSays = count =>
  `Collecting connection statistics for 1 seconds\n****\n\n${count} connections in 0.21s; 1104.76 connections/user ` +
  `sec, bytes read 292088\n${count} connections in 2 real seconds, 1259 bytes read per connection\n`

export const WRK = `Running 2s test\n${
  JSON.stringify({
    requests: 10,
    bytes: 20,
    micros: 2119194,
    status: 1,
    timeout: 2,
    connect: 3,
    read: 4,
    write: 5,
    p50: 1500,
    p90: 1600,
    p95: 1700,
    p99: 1800,
    max: 2500
  })
}\n`

/** Report of autocannon without its histogram. */
export const AUTOCANNON = {
  timeouts: 1,
  mismatches: 2,
  non2xx: 3,
  errors: 5,
  requests: { total: 10 },
  throughput: { total: 20 },
  start: '2026-01-01T00:00:00.000Z',
  finish: '2026-01-01T00:00:02.104Z'
}
