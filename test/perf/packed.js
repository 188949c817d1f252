/** Size of the installed package, and duration of its installation and of the first runs. */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../bench/machine/process.js'
import { makeWorkspace } from '../support/cli.js'
import { emptyProject, install, mebibytesIn, pack } from '../support/packed.js'
import { fixed, median } from './measure.js'

/** @import { Part } from './index.js' */

const GOALS = { packedMegabytes: 12, mebibytes: 40, installSeconds: 25, coldSeconds: 90, warmSeconds: 60 }

/** @type {Part} */
export default {
  title: 'the package: its size, its installation, a first run from it',
  async run (bench) {
    const workspace = makeWorkspace(bench)
    const file = await pack(workspace.dir)
    const folders = Array.from({ length: bench.short ? 1 : 3 }, (_, i) => join(workspace.dir, `project-${i}`))
    const seconds = []
    for (const folder of folders) {
      emptyProject(folder)
      seconds.push(await install(file, folder))
    }
    const cache = join(workspace.dir, 'cache')
    mkdirSync(cache)
    const measure = async () => {
      const at = performance.now()
      const { exit, stderr } = await run(['npx', '--no', '--', 'hopbench', 'run', './my-app.js',
        'nginx:uds/./my-app.js', '--quick'],
      { cwd: folders[0], env: { HOPBENCH_CACHE: cache, TMPDIR: workspace.tmp }, timeoutSeconds: 400 })
      if (exit !== 0) throw new Error(stderr)
      return (performance.now() - at) / 1000
    }
    const [cold, warm] = [await measure(), await measure()]
    return [
      line('the packed file', statSync(file).size / 1e6, GOALS.packedMegabytes, 'MB'),
      line('installed', mebibytesIn(join(folders[0], 'node_modules')), GOALS.mebibytes, 'MiB'),
      line('npm install', median(seconds), GOALS.installSeconds, 's'),
      line('a first run, with nothing in the cache', cold, GOALS.coldSeconds, 's'),
      line('a second run', warm, GOALS.warmSeconds, 's')
    ]
  }
}

/**
 * @param {string} what
 * @param {number} value
 * @param {number} goal
 * @param {string} unit
 */
const line = (what, value, goal, unit) =>
  ({ what, measured: `${fixed(value, 1)} ${unit}`, goal: `≤ ${goal} ${unit}`, met: value <= goal })
