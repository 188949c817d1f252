/**
 * Compares the rate at which an engine sends the 120 requests of a page with its rate for a single path of equal bytes.
 * Both loads take turns on one nginx, whose cache responds faster than the engines send.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localEngines } from '../../bench/load/find-engine.js'
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/lab.js'
import { makeTempRoot } from '../../bench/machine/temp.js'
import { openLoad } from '../../bench/measure/load.js'
import { SliceScheduler } from '../../bench/measure/slice-scheduler.js'
import { openStage } from '../../bench/measure/stage.js'
import { toMixLoad } from '../../bench/plan/request-mix.js'
import { computeWarmUp } from '../../bench/plan/targets.js'
import { pairedRatio } from '../../bench/judge/stats/paired.js'
import { readPage } from '../../bench/request/own-har.js'
import { sequenceOf } from '../../bench/request/own-paths.js'
import { armFrom } from '../../bench/request/request.js'
import { fixed } from './measure.js'

/** @import { Bench, Part } from './index.js' */

const GOAL = 0.95
const REQUESTS = 120
const CONNECTIONS = 100
/** Blocks of two slices. */
const BLOCKS = 40
/** h2load sends paths with common headers, the others requests with an Accept of their own. */
const ENGINES = ['autocannon', 'wrk', 'h2load']
const ACCEPTS = ['text/html', 'text/css', '*/*', 'image/avif,image/webp,*/*;q=0.8']

/** Responds to every path with 1 KB that may be cached. */
const APP = `
require('node:http').createServer((request, response) => {
  response.setHeader('Cache-Control', 'public, max-age=3600').setHeader('Content-Type', 'text/plain')
  response.end('x'.repeat(1024))
}).listen(process.env.PORT, '127.0.0.1')
`

/** @type {Part} */
export default {
  title: `rate of a page of ${REQUESTS} requests ÷ rate of one path of equal bytes`,
  async run (bench) {
    const lines = []
    for (const engine of ENGINES) {
      const temp = makeTempRoot()
      bench.teardown(() => temp.remove())
      writeFileSync(join(temp.path, 'app.cjs'), APP)
      writeHar(join(temp.path, 'page.har'))
      const ratios = await measureRatios(bench, engine, temp.path)
      const { ratio, low, high } = pairedRatio(ratios.map(Math.log), 0.95)
      lines.push({
        what: engine,
        measured: `${fixed(ratio, 3)} (${fixed(low, 3)} to ${fixed(high, 3)}, ${ratios.length} pairs)`,
        goal: `≥ ${GOAL}`,
        met: ratio >= GOAL
      })
    }
    return lines
  }
}

/** @param {string} file */
function writeHar (file) {
  const entries = Array.from({ length: REQUESTS }, (_, i) => ({
    request: {
      method: 'GET',
      url: `http://localhost/assets/file-${i}`,
      headers: [{ name: 'Accept', value: ACCEPTS[i % ACCEPTS.length] }]
    },
    response: { status: 200, content: { size: 1024, mimeType: 'text/plain' } }
  }))
  writeFileSync(file, JSON.stringify({ log: { entries } }))
}

/**
 * @param {Bench} bench
 * @param {string} engine
 * @param {string} dir
 * @returns {Promise<number[]>} rate of the page over that of the single path, by block
 */
async function measureRatios (bench, engine, dir) {
  const app = `node ${join(dir, 'app.cjs')}`
  const arm = await armFrom('nginx:keepalive+cache=1h/app', {
    connections: CONNECTIONS, app: [app], path: '/assets/file-0'
  })
  /** @type {Record<string, string>} */
  const headers = engine === 'h2load' ? { Accept: '*/*' } : {}
  const page = toMixLoad(sequenceOf(readPage(join(dir, 'page.har')).mix, 1), headers)
  const arms = [{ ...arm, name: 'one path' }, { ...arm, name: 'page', load: { ...arm.load, ...page } }]
  const { network } = await labFacts()
  const cores = splitCores('split')
  const stage = await openStage(arms, {
    temp: dir, lab: network === 'namespaces', cores: cores.split ? cores.served : null, cwd: dir, contrasts: []
  })
  bench.teardown(() => stage.close())
  const load = await openLoad([...stage.arms.values()], {
    ...computeWarmUp(),
    engine,
    engines: localEngines,
    smoke: false,
    mayswitch: false,
    cores,
    maxSeconds: 600,
    note: () => {}
  })
  bench.teardown(() => load.close())
  const slicer = new SliceScheduler(load.arms)
  bench.teardown(() => slicer.close())
  const measureRate = async (/** @type {string} */ name, /** @type {number} */ block) => {
    const { requests, seconds, invalid } = await slicer.measureSlice(name, block)
    return invalid ? NaN : requests / seconds
  }
  /** @type {number[]} */
  const ratios = []
  for (let block = 0; block < (bench.short ? 4 : BLOCKS); block++) {
    // Alternates the order, so that drift of the machine cancels.
    const names = block % 2 ? ['page', 'one path'] : ['one path', 'page']
    /** @type {Record<string, number>} */
    const rates = {}
    for (const name of names) rates[name] = await measureRate(name, block)
    ratios.push(rates.page / rates['one path'])
  }
  bench.note(`${engine}: ${ratios.map(ratio => fixed(ratio, 2)).join(' ')}`)
  return ratios.filter(Number.isFinite)
}
