import { readFileSync } from 'node:fs'
import t from '../support/tap.js'
import { armNames, listComparedArms } from '../../bench/plan/experiment.js'
import { planExperiment } from '../../bench/plan/plan.js'
import { loadExperiments, loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { sources, untested } from '../../bench/shared/sources.js'
import { findFault } from '../../bench/store/record-format.js'
import { parse, print } from '../../bench/plan/spec.js'
import { protocols } from '../support/samples.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import { serverSettings } from '../../bench/topology/server-options.js'

/** @import { OptionValue } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

const proxies = pluginNames('proxy')
const servers = pluginNames('server')
const engines = pluginNames('engine')
const known = Object.values(sources)
/** Largest number of arms, with the twin, for which a quick run has time for six blocks (bench/plan/targets.js). */
const QUICK_ARMS = 11
/**
 * Longest budget of an experiment about behaviour, in seconds: three minutes, and for WebSockets, whose costs are
 * counted in the steady state, nine.
 */
const getBehaviourSeconds = (/** @type {string | undefined} */ scenario) => scenario === 'websockets' ? 540 : 180
/** Experiments with more arms, because their table of servers and runtimes must be complete. */
const WHOLE_TABLES = ['static-html', 'runtimes-static']

const experiments = new Map((await loadExperiments()).map(({ name, experiment }) => [name, experiment]))

const page = readFileSync(new URL('../../docs/experiments.md', import.meta.url), 'utf8')

for (const [name, experiment] of experiments) {
  t.test(`experiment ${name}`, async t => {
    t.ok(page.includes(`\`${name}\``), 'docs/experiments.md lists it')
    for (const [arm, entry] of Object.entries(experiment.arms)) {
      const { topology: spec, load = {} } = typeof entry === 'string' ? { topology: entry } : entry
      const topology = parse(spec)
      t.equal(print(topology), spec, `${arm} is written in its canonical form`)
      if (topology.proxy) await knowsOptions(t, arm, topology.proxy)
      if (topology.server && proxies.includes(topology.server.name)) await knowsOptions(t, arm, topology.server)
      else if (topology.server) {
        const { server } = topology
        t.ok(servers.includes(server.name), `${arm} names a server that is there`)
        const { about } = await loadPlugin('server', server.name)
        t.doesNotThrow(() => serverSettings(topology, '24.0.0', about),
          `${arm} names options of ${server.name}`)
      }
      const engine = load.engine ?? experiment.load?.engine
      if (engine !== undefined) t.ok(engines.includes(engine), `${arm} names an engine that is there (${engine})`)
    }

    if (experiment.source) t.ok(known.includes(experiment.source), 'its source is one of bench/shared/sources.js')
    const ids = (experiment.claims ?? []).map(({ id }) => id)
    t.equal(new Set(ids).size, ids.length, 'no claim has the id of another')
    for (const { id, source, statement, published, test } of experiment.claims ?? []) {
      t.ok(known.includes(source), `${id} names a source of bench/shared/sources.js`)
      t.ok(statement.endsWith('.'), `${id} is a sentence`)
      t.ok(published, `${id} states what was published`)
      if (test.kind === 'ratio') {
        t.ok(Number(published) > 0, `${id} has a published ratio to hold the measured one against`)
      }
      if (test.kind === 'first-error-at') {
        t.equal(experiment.protocol, 'ladder', `${id} is about steps`)
        if (test.connections !== null) {
          t.ok(experiment.steps?.includes(test.connections), `${id} names a step that is tried`)
        }
      }
      for (const arm of listComparedArms(test)) {
        t.ok(armNames(experiment).includes(arm), `${id} names an arm that is there (${arm})`)
      }
    }
  })

  t.test(`experiment ${name} declares its answer`, async t => {
    const { answer } = experiment
    if (!answer) return t.fail(`${name} has no answer: bench/types/plan.d.ts, AnswerWords`)
    const plan = planExperiment(name, experiment, { seed: 1 }, { parse, protocol: protocols[experiment.protocol] })
    const kind = plan.result
    const { by = 'pairs', pairs = [], names = {} } = answer
    if (kind !== 'throughput') t.equal(by, kind, 'it is of the kind that the protocol measures')
    for (const [arm, baseline] of pairs) {
      t.ok(plan.contrasts.some(pair => pair[0] === arm && pair[1] === baseline), `${arm} ÷ ${baseline} is a contrast`)
    }
    for (const arm of Object.keys(names)) t.ok(armNames(experiment).includes(arm), `${arm} is an arm`)
    t.ok(by !== 'pairs' || pairs.length > 0, 'it names the contrasts that answer the question')
    t.notMatch([...pairs.flat(), ...Object.values(names)].join(' '), /[.;]( |$)/, 'no spec ends a sentence')
  })

  t.test(`experiment ${name} can be planned, quick and in full`, async t => {
    for (const quick of [true, false]) {
      const protocol = protocols[experiment.protocol]
      const plan = planExperiment(name, experiment, { seed: 1, quick }, { parse, protocol })
      const steps = experiment.steps ?? experiment.shares ?? [null]
      t.equal(plan.arms.filter(({ twinOf }) => twinOf === null).length,
        Object.keys(experiment.arms).length * steps.length, 'there is an arm for each topology and step')
      const names = plan.arms.map(arm => arm.name)
      t.strictSame(plan.contrasts.flat().filter(arm => !names.includes(arm)), [], 'contrasts name planned arms')
      t.ok(plan.targets.minBlocks <= (plan.targets.maxBlocks ?? Infinity), 'the fewest blocks are allowed')
      t.equal(findFault('plan', JSON.parse(JSON.stringify(plan))), null, 'the plan keeps to results/schema.json')
      if (experiment.group === 'behaviour') {
        const limit = getBehaviourSeconds(experiment.scenario)
        t.ok(plan.targets.budgetSeconds <= limit, `at most ${limit} s`)
      }
      const hasOwnBudget = typeof experiment.budgetSeconds === 'object'
      if (protocols[experiment.protocol].starts && quick && !hasOwnBudget && !WHOLE_TABLES.includes(name)) {
        t.ok(plan.arms.length <= QUICK_ARMS,
          `${plan.arms.length} arms: a quick run has time for the blocks of an interval`)
      }
    }
  })
}

t.test('every publication has claims', async t => {
  const used = new Set([...experiments.values()].flatMap(({ claims = [] }) => claims.map(({ source }) => source)))
  for (const source of known) t.ok(used.has(source) || untested.has(source), `${source.title} has claims`)
})

t.test('no two claims have the same id, in all experiments', async t => {
  const ids = [...experiments.values()].flatMap(({ claims = [] }) => claims.map(({ id }) => id))
  t.strictSame(ids.filter((id, i) => ids.indexOf(id) !== i), [], 'a claim is named without its experiment')
})

/**
 * @param {Test} t
 * @param {string} arm
 * @param {{ name: string, options: Record<string, OptionValue> }} hop
 */
async function knowsOptions (t, arm, { name, options }) {
  t.ok(proxies.includes(name), `${arm} names a proxy that is there`)
  const { default: proxy } = await loadPlugin('proxy', name)
  t.doesNotThrow(() => resolveOptions(name, proxy.about.options, options), `${arm} names options of ${name}`)
}
