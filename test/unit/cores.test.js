import { availableParallelism } from 'node:os'
import t from 'tap'
import { splitCores } from '../../bench/cores.js'
import { run } from '../../bench/process.js'

const able = (await run(['taskset', '-c', '0', 'true'])).exit === 0
const skip = able ? false : 'there is no taskset here'

t.test('load and served side have cores of their own where there are two', async t => {
  const { load, served, split } = splitCores()
  t.equal(new Set([...load, ...served]).size, availableParallelism())
  t.equal(split, availableParallelism() > 1)
  if (split) t.strictSame(load.filter(core => served.includes(core)), [])
})

t.test('on one core they share it', { skip }, async t => {
  const script = 'import("./bench/cores.js").then(({ splitCores }) => console.log(JSON.stringify(splitCores())))'
  const { stdout } = await run(['taskset', '-c', '0', process.execPath, '-e', script])
  t.strictSame(JSON.parse(stdout), { load: [0], served: [0], split: false })
})

t.test('the suite moves to the cores of the load', { skip }, async t => {
  const script = `import('./bench/cores.js').then(async ({ splitCores, pinSuite }) => {
    const cores = splitCores()
    await pinSuite(cores)
    console.log(JSON.stringify({ wanted: cores.load, found: splitCores().load, alone: !splitCores().split || !cores.split }))
  })`
  const { wanted, found, alone } = JSON.parse((await run([process.execPath, '-e', script])).stdout)
  t.strictSame(found, wanted)
  t.equal(alone, true)
})
