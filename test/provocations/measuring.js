/** Topologies that are up but cannot be measured. */
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { rejectKilled } from '../../bench/machine/network/enclosure.js'
import { acquireMachineLock } from '../../bench/machine/machine-lock.js'
import { splitCores } from '../../bench/machine/cores.js'
import { startGenerator } from '../../bench/load/generator.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import { measureUndisturbed } from '../../bench/measure/undisturbed.js'
import { CpuMeter, requireCpuTime } from '../../bench/machine/probe.js'
import { run, runInForeground } from '../../bench/machine/process.js'
import { callerCwd } from '../../bench/machine/caller-cwd.js'
import { callWorker } from '../../bench/run/call-worker.js'
import { armFrom } from '../../bench/request/request.js'
import { measureScore } from '../../bench/features/run/machine-score.js'
import { fromSamples } from '../../bench/features/selftest/study.js'
import { openSizingRig } from '../../bench/features/size/rig.js'
import { makeWorkspace } from '../support/cli.js'
import { inEnvironment, program } from '../support/provoke.js'
import { makeSample } from '../support/record.js'
import { orderIn } from '../support/fake-ssh.js'
import { wordFor } from '../support/stage.js'
import { tempRoot } from '../support/temp.js'

/** @import { Provocations } from '../support/provoke.js' */

const canLimit = (await run(['prlimit', '--version'])).exit === 0
/**
 * Sets the number of files that this process may open.
 * @param {string} soft as prlimit takes it
 * @returns {Promise<string>} the previous number
 */
async function limitFiles (soft) {
  const { stdout } = await run(['prlimit', `--pid=${process.pid}`, '--nofile', '--noheadings', '--output=SOFT'])
  await run(['prlimit', `--pid=${process.pid}`, `--nofile=${soft}`])
  return stdout.trim()
}

/** @type {Provocations} */
export default {
  'no-score': () => measureScore(null, { work: '/nonexistent/work.js' }),
  'gate-refused': async t => {
    const dir = t.testdir({ 'app.mjs': 'export default (req, res) => res.writeHead(500).end()\n' })
    const temp = tempRoot(t)
    const rig = await openSizingRig(await armFrom(wordFor(join(dir, 'app.mjs')), { connections: 10 }), {
      temp: join(temp.path, 's'),
      lab: false,
      cores: splitCores(),
      cwd: callerCwd()
    })
    await rig.close()
  },
  'engine-report': async t => {
    const { dir } = makeWorkspace(t)
    const generator = startGenerator({
      plugin: (await loadPlugin('engine', 'wrk')).default,
      program: program(dir, 'wrk', 'echo "Requests: many"'),
      env: {}
    }, orderIn(dir))
    t.teardown(() => generator.kill())
    await generator.finished(30)
  },
  'machine-disturbed': async () => {
    const suspended = /** @type {const} */ ({ code: 'suspended', params: { seconds: 5, seen: 'asleep' } })
    await measureUndisturbed(/** @type {any} */ ({ arm: { name: 'uds', load: {} } }),
      async () => makeSample({ invalid: suspended }))
  },
  'not-saturated': () => fromSamples([]),
  'suite-busy': async t => {
    inEnvironment(t, { TMPDIR: makeWorkspace(t).tmp, HOPBENCH_IN_TURN: '' })
    await acquireMachineLock(['run', 'uds'])
    // The lock is now held by this process, and its children would inherit that. Clear the variable to act as another
    // suite.
    process.env.HOPBENCH_IN_TURN = ''
    await acquireMachineLock(['run', 'cache'], { wait: false })
  },
  'task-late': async t => {
    const dir = t.testdir({})
    const argv = [program(dir, 'hopbench', 'exec sleep 60')]
    const { error } = await callWorker('run', { words: ['uds'], options: { lab: false } },
      { name: 'uds', dir, argv, seconds: 0 })
    throw error
  },
  'suite-killed': async () => rejectKilled(await runInForeground(['sh', '-c', 'kill -9 $$'], {}).exit),
  'no-cpu-time': () => requireCpuTime({ proxy: 0, server: 0 }, 'sizing'),
  'too-few-files': {
    skip: canLimit ? false : 'there is no prlimit',
    async provoke (t) {
      const limit = await limitFiles('256:')
      /** @type {number[]} */
      const open = []
      try {
        while (true) open.push(openSync('/dev/null', 'r'))
      } catch {
        // The limit is now used up.
      }
      t.teardown(() => limitFiles(`${limit}:`))
      try {
        new CpuMeter([process.pid]).close()
      } finally {
        open.forEach(file => closeSync(file))
      }
    }
  }
}
