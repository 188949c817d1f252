/** The suite's own Dockerfile, built by a real Docker engine. The image makes a run with and without namespaces. */
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './support/tap.js'
import { listRuns, project } from './support/cli.js'
import { baseOf, makeBase } from './support/docker-base.js'
import { openEngine } from './support/docker-engine.js'
import { skipWithout } from './support/needs.js'
import { pack } from './support/packed.js'

/** @import { Engine } from './support/docker-engine.js' */

/** Options that docs/docker.md names for a network of each topology and a PID namespace of the suite. */
const NAMESPACES = ['seccomp', 'systempaths', 'apparmor'].flatMap(name => ['--security-opt', `${name}=unconfined`])
const RUN_SECONDS = 300

t.test('the image of the suite', { skip: skipWithout('docker', 'registry') }, async t => {
  const engine = await openEngine(t)
  const context = join(engine.dir, 'context')
  mkdirSync(context)
  for (const name of ['Dockerfile', '.dockerignore']) copyFileSync(join(project, name), join(context, name))
  await pack(context)
  await makeBase(engine, baseOf(join(context, 'Dockerfile')))
  await engine.build(context, 'hopbench')
  await engine.isolate()

  await t.test('makes a run without namespaces, and reports it', async t => {
    const { environment, arms, warnings } = await runInside(engine, 'without', [])
    t.match(environment.lab, { network: 'shared-loopback', pids: false, why: String })
    t.ok(warnings.some(({ code }) => code === 'shared-loopback'))
    t.equal(arms.length, 5)
  })

  await t.test('makes a run with namespaces', async t => {
    const { environment, arms, warnings } = await runInside(engine, 'with', NAMESPACES)
    t.match(environment.lab, { network: 'namespaces', pids: true })
    t.notOk(warnings.some(({ code }) => ['shared-loopback', 'runtime-past-its-end'].includes(code)))
    t.equal(arms.length, 5)
  })
})

/**
 * Runs `bench:uds --quick` in a container.
 * @param {Engine} engine
 * @param {string} name of the folder for results
 * @param {string[]} options of docker run
 * @returns {Promise<{ environment: any, arms: object[], warnings: { code: string }[] }>} record of the run
 */
async function runInside (engine, name, options) {
  const work = join(engine.dir, name)
  mkdirSync(work)
  chmodSync(work, 0o777)
  const { exit, stdout, stderr } = await engine.call([engine.programs.docker, 'run', '--rm', ...options, '--volume',
    `${work}:/work`, 'hopbench', 'run', 'uds', '--quick'], RUN_SECONDS)
  if (exit !== 0) throw new Error(`exit ${exit}\n${stdout}\n${stderr}`)
  const results = join(work, 'results')
  return JSON.parse(readFileSync(join(results, listRuns(results)[0], 'run.json'), 'utf8'))
}
