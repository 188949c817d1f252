import { chmodSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import t from '../support/tap.js'
import { allowedCores, splitCores } from '../../bench/machine/cores.js'
import { run } from '../../bench/machine/process.js'

/** @import { Test } from 'tap' */

const sixtyFour = Array.from({ length: 64 }, (_, i) => i)
/**
 * Returns a system that allows these cores and has taskset.
 * @param {Test} t
 * @param {string} list
 */
function systemOf (t, list) {
  const root = t.testdir({
    bin: { taskset: '' },
    proc: {
      self: { status: `Name:\tnode\nCpus_allowed:\tffff\nCpus_allowed_list:\t${list}\nMems_allowed_list:\t0\n` }
    }
  })
  chmodSync(join(root, 'bin/taskset'), 0o755)
  return { root, env: { PATH: join(root, 'bin') } }
}

const able = (await run(['taskset', '-c', '0', 'true'])).exit === 0
const skip = able ? false : 'there is no taskset here'

t.test('gives load and served side separate cores when there are at least two', async t => {
  const { load, served, split } = splitCores()
  t.equal(new Set([...load, ...served]).size, availableParallelism())
  t.equal(split, availableParallelism() > 1)
  if (split) t.strictSame(load.filter(core => served.includes(core)), [])
})

t.test('shares a single core', { skip }, async t => {
  const script =
    'import("./bench/machine/cores.js").then(({ splitCores }) => console.log(JSON.stringify(splitCores())))'
  const { stdout } = await run(['taskset', '-c', '0', process.execPath, '-e', script])
  t.strictSame(JSON.parse(stdout), { load: [0], served: [0], split: false })
})

t.test('pins the suite to the cores of the load', { skip }, async t => {
  const script = `import('./bench/machine/cores.js').then(async ({ splitCores, pinSuite }) => {
    const cores = splitCores()
    await pinSuite(cores)
    const now = splitCores()
    console.log(JSON.stringify({ expected: cores.load, found: now.load, alone: !now.split || !cores.split }))
  })`
  const { expected, found, alone } = JSON.parse((await run([process.execPath, '-e', script])).stdout)
  t.strictSame(found, expected)
  t.equal(alone, true)
})

t.test('splits 64 cores into one for the load and 63 for the served side', async t => {
  const system = systemOf(t, '0-63')
  const { load, served, split } = splitCores('split', 0, system)
  t.strictSame({ load, split }, { load: [0], split: true })
  t.strictSame([...load, ...served], sixtyFour)
  const half = splitCores('split', 0.5, system)
  t.strictSame([half.load.length, half.served.length], [32, 32],
    'half of the cores for a generator with many processes')
  t.strictSame(splitCores('split', 1, system).served, [63], 'at least one core remains for the served side')
  t.strictSame(splitCores('shared', 0, system), { load: sixtyFour, served: sixtyFour, split: false })
})

t.test('reads the allowed cores in any numbering', async t => {
  t.strictSame(allowedCores(systemOf(t, '0-2,5,62-63')), { cores: [0, 1, 2, 5, 62, 63], pinnable: true })
  t.strictSame(allowedCores(systemOf(t, '7')).cores, [7])
})

t.test('returns all cores as not pinnable when the allowed cores are unknown or taskset is missing', async t => {
  const counted = Array.from({ length: availableParallelism() }, (_, i) => i)
  t.strictSame(allowedCores({ root: t.testdir({}), env: { PATH: '' } }), { cores: counted, pinnable: false },
    'without /proc')
  t.strictSame(allowedCores({ root: systemOf(t, '').root }), { cores: counted, pinnable: false },
    'with /proc, but without a list of cores')
})
