/** Servers that leave clients hanging, close on them or mislead them: whatever they do, no figure of theirs counts. */
import t from 'tap'
import { judgeSample } from '../../../bench/analysis/verdict.js'
import { splitCores } from '../../../bench/machine/cores.js'
import { labFacts } from '../../../bench/machine/lab.js'
import { makeTempRoot } from '../../../bench/machine/temp.js'
import { openAllUp } from '../../../bench/measure/all-up.js'
import { planOf } from '../../../bench/plan/plan.js'
import { INVALID_SHARE_LIMIT } from '../../../bench/shared/thresholds.js'
import { parse } from '../../../bench/plan/word.js'
import { skipWithoutProgram } from '../../support/needs.js'
import { makeWorkspace } from '../../support/cli.js'
import { planted, plantedModule } from '../../support/planted-servers.js'
import { protocols } from '../../support/samples.js'

/** @import { Reason } from '../../../bench/types.js' */
/** @import { Test } from 'tap' */

/** Answers that are right, late or strange: their rate is their own. A gate may refuse what is strange. */
const honest = Object.keys(planted).filter(name => ['slow', 'odd'].includes(planted[name].kind))
const SECONDS = 900
/** More than a gate and its reference ask for: the fault is due under load. */
const AFTER_GATE = 220
const TRIALS = 6

/**
 * Why each planted server has no valid figure, by name; null: it has one.
 * @param {Test} t
 * @param {string} engine
 * @param {Parameters<typeof plantedModule>[2]} when
 */
async function outcomes (t, engine, when) {
  const workspace = makeWorkspace(t)
  const temp = makeTempRoot()
  t.teardown(() => temp.remove())
  const arms = Object.fromEntries(Object.keys(planted).map(name => [name, plantedModule(workspace.dir, name, when)]))
  const plan = planOf('test', {
    title: 'a test',
    question: 'Does it?',
    source: null,
    unit: 'requests',
    protocol: 'slices',
    arms: { sound: 'http-json', ...arms },
    load: { connections: 50, path: '/' }
  }, { seed: 1, quick: true }, { parse, protocol: protocols.slices })
  const rig = await openAllUp(plan, {
    temp: temp.path,
    keepIn: workspace.results,
    lab: (await labFacts()).network === 'namespaces',
    cores: splitCores('shared'),
    engine,
    mayswitch: false,
    cwd: process.cwd(),
    maxSeconds: 240,
    note: () => {}
  })
  t.teardown(() => rig.close())
  /** @type {Record<string, string | null>} */
  const found = {}
  for (const arm of plan.arms) {
    found[arm.name] = rig.refused().get(arm.name)?.text ?? null
    if (found[arm.name] !== null) continue
    /** @type {Reason[]} */
    const invalid = []
    for (let block = 0; block < TRIALS; block++) {
      const reason = judgeSample(await rig.trial(arm.name, block), arm)
      // That the strange ones beside it wake up while they idle is no fault of this arm's.
      if (reason && reason.code !== 'idle-arms-busy') invalid.push(reason)
    }
    if (invalid.length > INVALID_SHARE_LIMIT * TRIALS) found[arm.name] = invalid[0].text
  }
  for (const [name, { text }] of await rig.finish()) found[name] ??= text
  return found
}

t.setTimeout(SECONDS * 1000)

/** The gate asks by itself: what it sees does not depend on the engine. */
const CASES = [
  { engine: 'autocannon', how: 'from the first answer on', when: {} },
  { engine: 'autocannon', how: 'under load', when: { from: AFTER_GATE } },
  { engine: 'wrk', how: 'under load', when: { from: AFTER_GATE } }
]
for (const { engine, how, when } of CASES) {
  t.test(`${engine}, faults ${how}`, { skip: engine === 'wrk' && skipWithoutProgram('wrk', ['wrk']) }, async t => {
    const found = await outcomes(t, engine, when)
    for (const [name, why] of Object.entries(found)) t.comment(`${name}: ${why ?? 'a valid figure'}`)
    t.equal(found.sound, null, 'a server that is sound has a figure')
    t.equal(found.split, null, 'one that is slow too')
    const faulty = Object.keys(planted).filter(name => !honest.includes(name))
    for (const name of faulty) t.type(found[name], 'string', name)
  })
}
