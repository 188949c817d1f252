/** Tests gang slices on scripted arms: turns, pauses and samples. */
import t from '../../support/tap.js'
import { GangScheduler } from '../../../bench/measure/rigs/gang-scheduler.js'
import { scriptedArm } from '../../support/scripted-arm.js'

/** @import { LoadedArm } from '../../../bench/measure/types.js' */

/**
 * @param {Record<string, ReturnType<typeof scriptedArm>>} arms
 * @param {object} [options]
 */
const gangOf = (arms, options) => new GangScheduler(
  new Map(Object.entries(/** @type {Record<string, any>} */ (arms))),
  { unit: 'requests', seed: 1, turnSeconds: 0.1, ...options })

/**
 * Makes an arm record its pauses and resumes.
 * @param {ReturnType<typeof scriptedArm>} arm
 * @param {string} name
 * @param {string[]} into receives the events in order
 */
function noted (arm, name, into) {
  const { staged: { running }, generator } = arm
  const { pause, resume } = running
  running.pause = () => { into.push(`${name} served stops`); pause() }
  running.resume = () => { into.push(`${name} served goes`); resume() }
  const { pause: pauseLoad, resume: resumeLoad } = generator
  generator.pause = async () => { into.push(`${name} load stops`); await pauseLoad() }
  generator.resume = async () => { into.push(`${name} load goes`); await resumeLoad() }
  return arm
}

t.test('runs one arm at a time; its load is resumed last and paused first', async t => {
  /** @type {string[]} */
  const did = []
  const gang = gangOf({ a: noted(scriptedArm(), 'a', did), b: noted(scriptedArm(), 'b', did) })
  t.strictSame(did, ['a served stops', 'b served stops'], 'paused from the beginning')
  await gang.measureBlock(['a', 'b'], 0, 0.1)
  did.length = 0
  const samples = await gang.measureBlock(['a', 'b'], 1, 0.2)
  t.strictSame(samples.map(({ arm, block, invalid }) => [arm, block, invalid]), [['a', 1, null], ['b', 1, null]])
  const turns = did.filter(event => event.endsWith('load goes')).map(event => event[0])
  t.equal(turns.length, 4, 'two turns of 0.1 s for each arm')
  t.strictSame(turns.slice(2), turns.slice(0, 2).reverse(), 'the second half mirrors the first')
  for (let i = 0; i < did.length; i += 4) {
    const of = did[i][0]
    t.strictSame(did.slice(i, i + 4), ['served goes', 'load goes', 'load stops', 'served stops'].map(w => `${of} ${w}`))
  }
  gang.close()
  t.strictSame(did.slice(-2), ['a served goes', 'b served goes'], 'all arms run again when counts are compared')
})

t.test('subtracts paused time from the measured time', async t => {
  const gang = gangOf({ a: scriptedArm(), b: scriptedArm(), c: scriptedArm() })
  const begun = performance.now() / 1000
  const samples = await gang.measureBlock(['a', 'b', 'c'], 0, 0.3)
  const wall = performance.now() / 1000 - begun
  for (const { arm, seconds, cpuSeconds } of samples) {
    // Below 0.3 s because a timer may fire a millisecond early.
    t.ok(seconds >= 0.29, `${arm}: three turns`)
    t.ok(Number.isFinite(cpuSeconds.load) && cpuSeconds.load > 0)
  }
  t.ok(samples.reduce((sum, { seconds }) => sum + seconds, 0) <= wall, 'the sum is at most the elapsed time')
})

t.test('a disturbed block is invalid for every arm', async t => {
  const disturbed = { code: 'suspended', params: { seconds: 9, seen: 'asleep' } }
  const gang = gangOf({ a: scriptedArm(), b: scriptedArm() }, { watch: () => ({ end: () => disturbed }) })
  for (const { invalid } of await gang.measureBlock(['a', 'b'], 0, 0.1)) t.strictSame(invalid, disturbed)
  t.equal(gang.lost.size, 0)
})

t.test('a failure of one arm invalidates only the sample of that arm', async t => {
  const [a, b, c] = [scriptedArm(), scriptedArm(), scriptedArm()]
  a.staged.running.front = async () => { throw new Error('the proxy\'s counters did not respond within 5 s') }
  b.generator.failure = async () => /** @type {any} */ (new Error('the load generator of b was ended by SIGKILL'))
  const gang = gangOf({ a, b, c })
  const samples = await gang.measureBlock(['a', 'b', 'c'], 0, 0.1)
  t.strictSame(samples.map(({ invalid }) => invalid?.code ?? null), ['no-reading', 'process-died', null])
  t.strictSame([...gang.lost], ['b'])
  for (const { seen } of [a, b, c]) t.match(seen, { paused: true, served: 'paused' }, 'all are paused again')
})

t.test('reports an arm whose load machine does not respond without waiting for it', async t => {
  const a = scriptedArm()
  a.generator.pause = async () => { throw new Error('load1 does not answer') }
  const [sample] = await gangOf({ a }).measureBlock(['a'], 0, 0.1)
  t.match(sample.invalid, { code: 'no-reading', params: { message: 'load1 does not answer' } })
})

t.test('a worker that died within a block makes it invalid', async t => {
  const a = scriptedArm()
  const { front } = a.staged.running
  let readings = 0
  a.staged.running.front = async () => ({ ...await front(), lost: readings++ > 0 ? 1 : 0 })
  const [sample] = await gangOf({ a }).measureBlock(['a'], 0, 0.1)
  t.match(sample.invalid, { code: 'worker-died' })
})

t.test('derives the order of turns from the seed and reverses each odd turn', async t => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const toTurns = async (/** @type {number} */ seed) => {
    /** @type {string[]} */
    const did = []
    const arms = Object.fromEntries(names.map(name => [name, noted(scriptedArm(), name, did)]))
    const gang = gangOf(arms, { seed, turnSeconds: 0.01 })
    await gang.measureBlock(names, 3, 0.08)
    gang.close()
    return did.filter(event => event.endsWith('load goes')).map(event => event[0]).join('').match(/.{5}/g) ?? []
  }
  const turns = await toTurns(7)
  t.equal(turns.length, 8)
  t.strictSame(await toTurns(7), turns)
  t.equal(turns[1], [...turns[0] ?? ''].reverse().join(''))
  t.ok(new Set([0, 2, 4, 6].map(turn => turns[turn])).size > 1)
  t.notSame(await toTurns(8), turns)
})
