/** Time to render the report of a very long run, and to list many runs. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../bench/machine/process.js'
import { makeRecord } from '../support/record.js'
import { project } from '../support/cli.js'
import { fixed, median } from './measure.js'
import { tempFolder } from '../support/temp.js'

/** @import { Part } from './index.js' */

const RENDER_GOAL_SECONDS = 1
const LIST_GOAL_SECONDS = 0.2
const BYTES_GOAL = 3e6
const RUNS = 1000

/** Script for a new process, in which no file was read or compiled before. */
const RENDER = `
const { renderPage } = await import('./test/support/rendered-page.js')
const { makeRecord, makeSample } = await import('./test/support/record.js')
const arms = ['keepalive', 'tcp', 'uds', 'uds-keepalive']
const samples = Array.from({ length: 100000 }, (_, i) =>
  makeSample({ arm: arms[i % 4], block: i >> 2, rps: 9000 + (i * 7919 % 3001) * 1.001 }))
const at = performance.now()
const html = renderPage({ record: makeRecord(), samples, configs: [], check: null })
console.log(JSON.stringify([(performance.now() - at) / 1000, html.length]))
`
const LIST = `
const { createHistory } = await import('./bench/features/serve/history.js')
const at = performance.now()
const { total } = await createHistory(process.env.RESULTS)({})
console.log(JSON.stringify([(performance.now() - at) / 1000, total]))
`

/** @type {Part} */
export default {
  title: 'pages: a report of 100,000 trials, a list of 1,000 runs',
  async run (bench) {
    const results = tempFolder(bench)
    for (let i = 0; i < RUNS; i++) {
      const name = `${new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString().slice(0, 19).replaceAll(':', '-')}Z-uds`
      mkdirSync(join(results, name))
      writeFileSync(join(results, name, 'run.json'), JSON.stringify(makeRecord({ run: name })))
    }
    const repeated = async (/** @type {string} */ code) => {
      /** @type {[number, number][]} */
      const found = []
      for (let i = 0; i < (bench.short ? 2 : 7); i++) {
        found.push(
          JSON.parse(
            (await run([process.execPath, '--input-type=module', '-e', code], {
              cwd: project,
              env: { RESULTS: results }
            })).stdout
          )
        )
      }
      return { seconds: median(found.map(([seconds]) => seconds)), figure: found[0][1] }
    }
    const [rendered, listed] = [await repeated(RENDER), await repeated(LIST)]
    return [
      {
        what: 'rendering the report',
        measured: `${fixed(rendered.seconds, 2)} s`,
        goal: `< ${RENDER_GOAL_SECONDS} s`,
        met: rendered.seconds < RENDER_GOAL_SECONDS
      },
      {
        what: 'size of the report',
        measured: `${fixed(rendered.figure / 1e6, 2)} MB`,
        goal: `< ${BYTES_GOAL / 1e6} MB`,
        met: rendered.figure < BYTES_GOAL
      },
      {
        what: `listing ${listed.figure} runs`,
        measured: `${fixed(listed.seconds, 3)} s`,
        goal: `< ${LIST_GOAL_SECONDS} s`,
        met: listed.figure === RUNS && listed.seconds < LIST_GOAL_SECONDS
      }
    ]
  }
}
