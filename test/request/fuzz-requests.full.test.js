/** Random command lines, experiments and plug-ins: each one becomes a plan or one error of the catalog. */
import fc from 'fast-check'
import t from '../support/tap.js'
import { main } from '../../bench/cli.js'
import { HopbenchError } from '../../bench/errors.js'
import { planExperiment } from '../../bench/plan/plan.js'
import { findContractFault, pluginNames } from '../../bench/plan/plugins.js'
import { planFrom } from '../../bench/request/request.js'
import { parse } from '../../bench/plan/spec.js'
import { protocols } from '../support/samples.js'
import { CASES, SEED } from '../support/fuzz-cases.js'
import { resultOrKnown, spec } from '../support/fuzz-words.js'

/** @import { Plan } from '../../bench/types.js' */

const name = fc.constantFrom('a', 'b', 'c', 'a (twin)', '', '__proto__', 'toString')
const topology = fc.constantFrom('nginx:tcp/express-json', 'nginx:uds/express-json', 'http-json', 'nginx/files',
  'st@cluster:2', 'nonsense', '')
const anything = fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer(), fc.double(),
  fc.string({ maxLength: 5 }), fc.boolean(), fc.constant([]), fc.constant({}))
const claim = fc.record({
  id: fc.constant('x'),
  source: fc.constant(null),
  statement: fc.constant('It is.'),
  published: fc.oneof(fc.double(), fc.string()),
  test: fc.oneof(
    fc.record({ kind: fc.constant('ratio'), arm: name, baseline: name }),
    fc.record({ kind: fc.constant('order'), arms: fc.array(name) }),
    fc.record({ kind: fc.constant('flat'), arms: fc.array(name) })
  )
})
const experiment = fc.record({
  title: fc.constant('It'),
  question: fc.constant('Is it?'),
  source: fc.constant(null),
  arms: fc.dictionary(name,
    fc.oneof(topology,
      fc.record({
        topology,
        load: fc.record({ connections: fc.oneof(fc.integer(), fc.double()) }, { requiredKeys: [] })
      })), {
      minKeys: 0,
      maxKeys: 4
    }),
  contrasts: fc.option(fc.array(fc.tuple(name, name), { maxLength: 4 }), { nil: undefined }),
  twin: fc.option(name, { nil: undefined }),
  protocol: fc.constantFrom('gang', 'slices', 'window', 'ladder', 'series', 'rates'),
  unit: fc.constantFrom('requests', 'bytes'),
  steps: fc.option(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 3 }), { nil: undefined }),
  shares: fc.option(fc.array(fc.double({ min: 0.1, max: 0.9, noNaN: true }), { minLength: 1, maxLength: 3 }), {
    nil: undefined
  }),
  claims: fc.option(fc.array(claim, { maxLength: 2 }), { nil: undefined })
})
const options = fc.record({
  quick: fc.boolean(),
  connections: fc.oneof(fc.integer(), fc.double(), fc.constant(undefined)),
  budgetSeconds: fc.oneof(fc.double(), fc.constant(undefined)),
  precision: fc.oneof(fc.double(), fc.constant(undefined)),
  seed: fc.nat()
})

t.test('a random experiment becomes a consistent plan, or is rejected with the right code', async t => {
  fc.assert(fc.property(experiment, options, (experiment, options) => {
    const plan = resultOrKnown(() => planExperiment('it', /** @type {any} */ (experiment), options, {
      parse, protocol: protocols[experiment.protocol] ?? protocols.slices
    }))
    if (plan instanceof HopbenchError) return ['bad-plugin', 'bad-option', 'bad-topology'].includes(plan.code)
    const { arms, contrasts, targets } = /** @type {Plan} */ (plan)
    const names = arms.map(arm => arm.name)
    return new Set(names).size === names.length && contrasts.flat().every(name => names.includes(name)) &&
      targets.budgetSeconds > 0 && targets.precision > 0 &&
      arms.every(({ load }) => Number.isInteger(load.connections) && load.connections > 0)
  }), { numRuns: CASES.plans, seed: SEED })
  t.pass(`${CASES.plans} experiments`)
})

t.test('random words and options become a plan, or an error of the catalog', async t => {
  const words = fc.array(fc.oneof(spec, topology, fc.constantFrom('uds', 'cache', 'udss')), { maxLength: 3 })
  const typed = fc.record({
    quick: fc.boolean(),
    connections: fc.option(fc.integer({ min: -2, max: 9 }), { nil: undefined }),
    engine: fc.option(fc.constantFrom('wrk', 'ab', 'oha', 'h2load', 'nothing', '__proto__'), { nil: undefined }),
    path: fc.option(fc.string({ maxLength: 5 }), { nil: undefined }),
    root: fc.option(fc.constantFrom('/', '/nowhere', ''), { nil: undefined }),
    paths: fc.option(fc.constantFrom('/nowhere', '.'), { nil: undefined }),
    seed: fc.nat(),
    lab: fc.boolean()
  })
  await fc.assert(fc.asyncProperty(words, typed, async (words, typed) => {
    // Listing the files of the whole system would take too long.
    fc.pre(typed.root !== '/')
    try {
      const { plan } = await planFrom(words, typed)
      return plan.arms.length > 0
    } catch (error) {
      return error instanceof HopbenchError
    }
  }), { numRuns: CASES.requests, seed: SEED })
  t.pass(`${CASES.requests} requests`)
})

t.test('a random command line ends with an exit code and without a stack trace', async t => {
  const token = fc.oneof(
    fc.constantFrom('run', 'list', 'report', 'compare', 'check', 'size', 'up', 'config', 'serve', 'doctor',
      'all', 'claims', '--quick', '--json', '--seed', '-1', '--budget', '5m', '--rps', 'uds', '--help=x'),
    fc.string({ maxLength: 6 })
  )
  const stderr = t.capture(process.stderr, 'write', () => true)
  const prints = t.capture(process.stdout, 'write', () => true)
  await fc.assert(fc.asyncProperty(fc.array(token, { maxLength: 5 }), async tokens => {
    // An unknown option keeps every command from running.
    const code = await main([...tokens.filter(token => token !== '--'), '--no-such-option-at-all']).catch(error => {
      if (error instanceof HopbenchError) return error.exit
      throw error
    })
    return code === 2 || code === 0
  }), { numRuns: CASES.commands, seed: SEED })
  const text = stderr().map(({ args }) => String(args[0])).join('')
  prints.restore?.()
  stderr.restore?.()
  t.notMatch(text, /\n\s+at .*:\d+:\d+|hopbench itself failed/, 'no stack')
})

t.test('a random plug-in keeps its contract, or the error names the missing part', async t => {
  const keys = ['default', 'about', 'title', 'program', 'options', 'version', 'args', 'parse', 'render', 'command',
    'check', 'counters', 'arms', 'question', 'protocol', 'unit', 'steps', 'shares', 'serves', 'bytesFrom',
    'compression', 'package', 'stop', 'contrasts', 'claims']
  const leaf = fc.oneof(anything, fc.constant(() => {}))
  const module =
    fc.letrec(tie => ({
      node: fc.oneof({ maxDepth: 3 }, leaf, fc.dictionary(fc.constantFrom(...keys), tie('node')))
    })).node
  fc.assert(
    fc.property(fc.constantFrom(/** @type {const} */ ('server'), 'proxy', 'engine', 'experiment', 'protocol'), module,
      (kind, module) => {
        const what = findContractFault(/** @type {any} */ (kind), module)
        return what === null || (typeof what === 'string' && what.length > 0)
      }),
    { numRuns: CASES.plugins, seed: SEED }
  )
  t.pass(`${CASES.plugins} shapes`)
  for (const kind of /** @type {const} */ (['server', 'proxy', 'engine', 'experiment', 'protocol'])) {
    t.ok(pluginNames(kind).length > 0)
  }
})
