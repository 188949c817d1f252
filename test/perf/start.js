/** Time that a second start spends on checking packages and programs. */
import { run } from '../../bench/machine/process.js'
import { project } from '../support/cli.js'
import { fixed, median } from './measure.js'

/** @import { Part } from './index.js' */

const GOAL_SECONDS = 0.3

/** Script for a new process, in which no file was read or compiled before. */
const LOOK = `
const at = performance.now()
const { bringDependencies } = await import('./bench/machine/setup/install.js')
await bringDependencies(process.cwd())
const { findTools } = await import('./bench/machine/tools.js')
await findTools([{ program: 'nginx', packages: { debian: ['nginx'] } }])
console.log((performance.now() - at) / 1000)
`

/** @type {Part} */
export default {
  title: 'a second start',
  async run (bench) {
    const look = async () =>
      Number(
        (await run([process.execPath, '--input-type=module', '-e', LOOK], { cwd: project, timeoutSeconds: 300 }))
          .stdout
      )
    await look() // The first start may fetch missing programs.
    const times = []
    for (let i = 0; i < (bench.short ? 3 : 15); i++) times.push(await look())
    const seconds = median(times)
    return [{
      what: 'time spent on checking',
      measured: `${fixed(seconds, 3)} s (${fixed(Math.min(...times), 3)} to ${fixed(Math.max(...times), 3)})`,
      goal: `< ${GOAL_SECONDS} s`,
      met: seconds < GOAL_SECONDS
    }]
  }
}
