/** CPU time of nginx per request over HTTP/1.1, HTTP/2 and HTTP/3, from a fixed number of requests by curl. */
import { run } from '../../bench/machine/process.js'
import { findTool } from '../../bench/machine/tools.js'
import { Meters } from '../../bench/measure/meters.js'
import { staged } from '../support/stage.js'
import { fixed, median } from './measure.js'

/** @import { Test } from 'tap' @import { Part } from './index.js' */

/** Requests of one call of curl, one after the other on one connection. */
const REQUESTS = 1000
const PATH = '/1kb.json'
/** Versions as curl takes and prints them. */
const VERSIONS = [
  { title: 'HTTP/1.1', option: '--http1.1', printed: '1.1' },
  { title: 'HTTP/2', option: '--http2', printed: '2' },
  { title: 'HTTP/3', option: '--http3-only', printed: '3' }
]

/** @type {Part} */
export default {
  title: 'HTTP/3: CPU time of nginx per request of 1 KB, beside HTTP/1.1 and HTTP/2',
  async run (bench) {
    const curl = await findTool({ program: 'curl', packages: { debian: ['curl'] }, release: 'sid' })
    const { running, network } = await staged(/** @type {Test} */ (/** @type {unknown} */ (bench)),
      'nginx+tls=ecdsa-p256+http2+http3+release=sid/files', { path: PATH })
    const meters = new Meters(running)
    bench.teardown(() => meters.close())
    /** @type {Map<string, number[]>} in µs by version */
    const micros = new Map(VERSIONS.map(({ title }) => [title, []]))
    let failed = 0
    for (let i = 0; i < (bench.short ? 3 : 15); i++) {
      // The order is reversed in each odd round, so that linear drift cancels.
      for (const { title, option, printed } of i % 2 ? VERSIONS.toReversed() : VERSIONS) {
        const before = meters.proxy.seconds()
        const { stdout } = await run([...network.enter, curl.path, option, '--silent', '--output', '/dev/null',
          '--cacert', String(running.target.caFile), '--write-out', '%{http_version} %{response_code}\\n',
          `${running.target.url}${PATH}?[1-${REQUESTS}]`], { timeoutSeconds: 120 })
        const lines = stdout.trim().split('\n')
        failed += REQUESTS - lines.filter(line => line === `${printed} 200`).length
        micros.get(title)?.push((meters.proxy.seconds() - before) / REQUESTS * 1e6)
      }
      bench.printProgress(`round ${i + 1}`)
    }
    return [...micros].map(([what, figures]) => ({
      what: `${what}, CPU time of a request`,
      measured: `${fixed(median(figures), 0)} µs`,
      goal: 'all in this version',
      met: failed === 0
    }))
  }
}
