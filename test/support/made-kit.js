/** Deploy kits in temporary projects, which are not run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeKit } from '../../bench/features/deploy/kit/deploy-kit.js'
import { armFrom } from '../../bench/request/request.js'
import { inEnvironment } from './provoke.js'

/** @import { Test } from 'tap' */
/** @import { KitFacts } from '../../bench/features/deploy/kit/types.js' */

/**
 * Makes a kit in a temporary project.
 * @param {Test} t
 * @param {string} spec
 * @param {{ files: Parameters<Test['testdir']>[0], arm?: object, from?: string, [option: string]: any }} kit files: of
 *   the project; arm: its options; from: folder of a run within the project
 */
export async function makeKitIn (t, spec, { files, arm = {}, from, ...options }) {
  const project = t.testdir(files)
  inEnvironment(t, { INIT_CWD: project })
  const made = await makeKit(await armFrom(spec, { connections: 100, ...arm }),
    { target: 'docker', out: './deploy', ...options, ...from && { from: join(project, from), trustRun: true } })
  const dir = join(project, made.dir)
  return { ...made, project, dir, read: (/** @type {string} */ file) => readFileSync(join(dir, file), 'utf8') }
}

/**
 * Returns the facts of a kit of a module, as far as the templates read them.
 * @param {Partial<KitFacts>} facts
 * @returns {KitFacts}
 */
export const makeKitFacts = facts => ({
  name: 'shop',
  kit: '',
  app: 'index.js',
  command: null,
  root: null,
  files: [],
  node: null,
  python: null,
  image: null,
  context: null,
  buildpacks: [],
  warnings: [],
  path: '/',
  settings: { processes: 1, memoryMiB: null, heapMiB: null, instances: null, plan: null, inFlight: null },
  sized: [],
  ...facts
})
