/** Deploy kits that cannot be written. */
import { join } from 'node:path'
import { makePlan, makeRecord } from '../support/record.js'
import { command, inEnvironment } from '../support/provoke.js'
import * as store from '../../bench/store/store.js'

/** @import { Provocations } from '../support/provoke.js' */
/** @import { Test } from 'tap' */

/** Creates a project and makes it the current folder. @param {Test} t */
function project (t) {
  const app = 'export default (req, res) => res.end()'
  const dir = t.testdir({ 'app.mjs': app, deploy: { 'start.sh': 'mine' }, file: '' })
  inEnvironment(t, { INIT_CWD: dir })
  return dir
}

/**
 * @param {Test} t
 * @param {string} spec
 * @param {string[]} args
 */
function config (t, spec, ...args) {
  project(t)
  return command('config', spec, '--target', 'docker', ...args)
}

/** @type {Provocations} */
export default {
  'cannot-deploy': t => config(t, 'nginx:uds/./app.mjs@pm2:2'),
  'kit-in-the-way': t => config(t, 'nginx:uds/./app.mjs'),
  'kit-not-writable': t => config(t, 'nginx:uds/./app.mjs', '--out', './file'),
  'not-sized': async t => {
    const run = await store.openRun({
      resultsDir: join(project(t), 'results'),
      experiment: 'uds',
      startedAt: '2024-05-06T07:08:09.000Z',
      plan: makePlan()
    })
    t.teardown(() => run.close())
    await run.writeRecord(makeRecord({ run: run.run }))
    await command('config', 'nginx:uds/./app.mjs', '--target', 'docker', '--from', run.dir, '--trust-run')
  }
}
