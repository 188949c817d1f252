/**
 * Makes a plan of an experiment: arms with their twin, contrasts, seed, and stop conditions (pure).
 * @import { Arm, ArmEntry, Experiment, Load, Plan, ProtocolAbout, Topology } from '../types.js'
 */
import { armNames, listComparedArms, shareName, stepName } from './experiment.js'
import { badOption, HopbenchError } from '../errors.js'
import { mergeHeaders } from '../shared/http/merge-headers.js'
import { randomFrom, shuffle } from '../shared/random.js'
import { computeStarts, computeTargets, computeWarmUp } from './targets.js'
import { print } from './spec.js'

/** @type {Load} */
const DEFAULT_LOAD = { engine: 'autocannon', connections: 100, path: '/', headers: {} }

/**
 * Creates an arm of one topology, named by its spec.
 * @param {Topology} topology
 * @param {Partial<Load>} [load] Differences from the default load.
 * @returns {Arm}
 */
export function createArm (topology, load = {}) {
  const spec = print(topology)
  return { name: spec, spec, topology, load: { ...DEFAULT_LOAD, ...load }, twinOf: null }
}

/**
 * Limits of --smoke, which checks that everything works. One block has no interval, and so short a slice has no
 * reliable figure.
 */
const SMOKE = { blocks: 1, sliceSeconds: 0.1 }

/**
 * Returns which of its lengths an element of a plan takes.
 * @param {Partial<Pick<Plan, 'quick' | 'smoke'>>} plan
 * @returns {'full' | 'quick' | 'smoke'}
 */
export const getProfile = ({ quick, smoke }) => smoke ? 'smoke' : quick ? 'quick' : 'full'

/**
 * Returns whether all blocks come from one start. Protocols with windows start everything for each window.
 * @param {Plan} plan
 */
export const hasOneStart = ({ startBlocks, windowSeconds }) =>
  startBlocks === null || (startBlocks === undefined && windowSeconds === undefined)

/**
 * Returns whether each trial has new processes, so that intervals over blocks include the variation between starts.
 * @param {Plan} plan
 */
export const startsEachTrial = ({ startBlocks, windowSeconds }) =>
  startBlocks === undefined && windowSeconds !== undefined

/**
 * @typedef {object} PlanOptions
 * @property {number} seed a 32-bit unsigned integer; recorded, because all randomness depends on it
 * @property {boolean} [quick] a few blocks of one start, without an adjustment for several contrasts
 * @property {boolean} [smoke] one block of the shortest trials, to check that everything works
 * @property {number} [budgetSeconds] wall time of the whole run
 * @property {number} [precision] half-width as a share: 0.02
 * @property {number} [detect] a difference to detect at 80 % power, as a share: 0.05
 * @property {number} [margin] slowdown that the comparison of this run is to decide, as a share: 0.05
 * @property {number} [warmUpSeconds] longest warm-up of an arm
 * @property {number | null} [maxBlocks]
 * @property {number} [connections]
 * @property {string} [engine]
 * @property {string} [path]
 * @property {Partial<Load>} [request] differences from a plain GET
 * @property {'gigabit'} [net] client and server on two hosts, joined by such a link
 */

/**
 * Makes a plan. Options of the command line take precedence over the experiment's own values.
 * @param {string} name of the experiment
 * @param {Experiment} experiment
 * @param {PlanOptions} asked
 * @param {{ parse: (spec: string) => Topology, protocol: ProtocolAbout }} context protocol: the experiment's
 * @returns {Plan}
 * @throws {HopbenchError} bad-plugin, naming the entry; bad-option
 */
export function planExperiment (name, experiment, asked, { parse, protocol }) {
  const options = asked.smoke ? { ...asked, quick: true, maxBlocks: SMOKE.blocks } : asked
  const names = Object.keys(experiment.arms)
  const fail = (/** @type {string} */ why) =>
    new HopbenchError('bad-plugin', { file: `experiment ${name}`, why })
  if (names.length === 0) throw fail('it has no arms')
  const all = armNames(experiment)
  const known = (/** @type {string} */ arm, /** @type {string} */ where) => {
    if (!all.includes(arm)) throw fail(`${where} names the arm "${arm}", and the arms are ${all.join(', ')}`)
    return arm
  }
  const contrasts = listContrasts(experiment, known, fail)
  for (const { id, test } of experiment.claims ?? []) {
    for (const arm of listComparedArms(test)) known(arm, `the claim ${id}`)
  }

  const arms = createArms(experiment, options, { parse, fail })
  const stepless = contrasts.flat().find(name => !arms.some(arm => arm.name === name))
  if (stepless !== undefined) throw fail(`a contrast names "${stepless}", ${hasSteps(stepless, experiment)}`)
  // Offered rates are inputs, so an arm and its twin could not differ. Where processes are replaced between starts,
  // each arm is its own twin.
  const isAsked = experiment.shares !== undefined ||
    arms.every(({ load }) => load.perUserPerSecond !== undefined || load.scenario)
  const twin = isAsked || protocol.starts ? null : toTwin(known(experiment.twin ?? arms[0].name, 'twin'))
  if (twin) {
    if (all.includes(twin.arm)) throw fail(`"${twin.arm}" is what the repeated arm is called`)
    const original = arms.find(arm => arm.name === twin.of)
    if (!original) throw fail(`the twin "${twin.of}" ${hasSteps(twin.of, experiment).replace('which ', '')}`)
    arms.push({
      ...original,
      name: twin.arm,
      topology: structuredClone(original.topology),
      twinOf: twin.of,
      ...original.ladder && { ladder: { of: twin.arm, step: 0 } }
    })
  }

  const targets = computeTargets(experiment, { protocol, contrasts, arms: arms.length }, options)
  return {
    experiment: name,
    command: [],
    question: experiment.question,
    ...experiment.answer && { answer: experiment.answer },
    protocol: experiment.protocol,
    result: protocol.result,
    unit: experiment.unit,
    arms,
    contrasts,
    twin,
    claims: experiment.claims ?? [],
    cores: experiment.cores ?? 'split',
    seed: options.seed,
    quick: options.quick ?? false,
    ...computeStarts(protocol, options),
    ...options.smoke && { smoke: true },
    ...getWindow(experiment, protocol, getProfile(options)),
    ...experiment.errorsAreResults && { errorsAreResults: true },
    ...(protocol.paused || protocol.warm) && {
      warmUp: computeWarmUp(options, { budgetSeconds: targets.budgetSeconds, arms: arms.length })
    },
    targets
  }
}

/**
 * Returns all arms, with an arm for each step or share.
 * @param {Experiment} experiment
 * @param {PlanOptions} options
 * @param {{ parse: (spec: string) => Topology, fail: (why: string) => Error }} how
 * @returns {Arm[]}
 */
function createArms (experiment, options, { parse, fail }) {
  const load = getLoad(experiment, options)
  return Object.entries(experiment.arms).flatMap(([name, entry]) => {
    /** @type {ArmEntry} */
    const { topology: spec, load: own = {}, lab: ownLab, options: ownOptions } =
      typeof entry === 'string' ? { topology: entry } : entry
    const lab = options.net || ownLab ? { ...ownLab, ...options.net && { net: options.net } } : undefined
    /** @type {Arm} */
    const arm = {
      name,
      spec,
      topology: { ...parse(spec), ...lab && { lab } },
      load: {
        ...load,
        ...own,
        ...typedLoad(options),
        headers: mergeHeaders(own.headers ?? load.headers, options.request?.headers),
        ...toScenario(experiment, ownOptions)
      },
      twinOf: null
    }
    if (!isCount(arm.load.connections)) throw fail(`the arm "${name}" has ${arm.load.connections} connections`)
    return expandSteps(arm, experiment, options)
  })
}

/**
 * @param {string} name
 * @param {Experiment} experiment
 */
const hasSteps = (name, { steps }) => `which has steps: name one of them, ${stepName(name, steps?.[0] ?? 0)}`

/**
 * Returns the length of a window, or nothing for slices of the default length.
 * @param {Experiment} experiment
 * @param {ProtocolAbout} protocol
 * @param {'full' | 'quick' | 'smoke'} profile
 * @returns {Pick<Plan, 'windowSeconds'>}
 */
function getWindow ({ windowSeconds }, { windowSeconds: usual }, profile) {
  if (!usual) return profile === 'smoke' ? { windowSeconds: SMOKE.sliceSeconds } : {}
  if (profile === 'smoke') return { windowSeconds: Math.min(usual.smoke, windowSeconds?.quick ?? Infinity) }
  return { windowSeconds: (windowSeconds ?? usual)[profile] }
}

/**
 * Returns the scenario of an arm. `plays` is no plug-in: the client of a scenario is part of the project.
 * @param {Experiment} experiment
 * @param {ArmEntry['options']} own of the arm
 * @returns {Partial<Load>}
 */
const toScenario = ({ scenario, options }, own) =>
  scenario === undefined ? {} : { engine: 'plays', scenario: { name: scenario, options: { ...options, ...own } } }

/**
 * Returns an arm for each share of the peak of an arm.
 * @param {Arm} arm
 * @param {number[]} shares
 * @returns {Arm[]}
 */
export const expandShares = (arm, shares) => shares.map((share, step) => ({
  ...arm, name: shareName(arm.name, share), load: { ...arm.load, share }, ladder: { of: arm.name, step }
}))

/**
 * Replaces an arm by one arm for each step of a ladder or share of the peak.
 * @param {Arm} arm
 * @param {Experiment} experiment
 * @param {PlanOptions} options
 * @returns {Arm[]}
 */
function expandSteps (arm, { steps, shares }, { connections }) {
  if (shares) return expandShares(arm, shares)
  if (!steps) return [arm]
  if (connections !== undefined) {
    throw badOption('--connections', connections, `this experiment steps up by itself: ${steps.join(', ')}`)
  }
  return steps.map((connections, step) => ({
    ...arm, name: stepName(arm.name, connections), load: { ...arm.load, connections }, ladder: { of: arm.name, step }
  }))
}

/**
 * Shuffles the arms of a block. The order depends only on the plan and the block number, so that a resumed run
 * continues as the original one would have. The steps of a ladder stay together in rising order.
 * @param {Pick<Plan, 'arms' | 'seed'>} plan
 * @param {number} block
 * @returns {string[]} names of all arms
 */
export function orderOfBlock ({ arms, seed }, block) {
  const getLadder = (/** @type {Pick<Arm, 'name' | 'ladder'>} */ { name, ladder }) => ladder?.of ?? name
  return shuffle([...new Set(arms.map(getLadder))], randomFrom(seed, 'order', block))
    .flatMap(of => arms.filter(arm => getLadder(arm) === of).map(({ name }) => name))
}

/**
 * Returns the order in which the arms are warmed up at a start. An arm that has waited longer for the others costs more
 * (docs/method.md), so the order is random, and every second start reverses that of the one before.
 * @param {Pick<Plan, 'arms' | 'seed'>} plan
 * @param {number} start from 0
 * @returns {string[]} names of all arms
 */
export function orderOfStart ({ arms, seed }, start) {
  const order = shuffle(arms.map(({ name }) => name), randomFrom(seed, 'warm-up', Math.floor(start / 2)))
  return start % 2 === 0 ? order : order.reverse()
}

/** @param {string} of */
const toTwin = of => ({ arm: `${of} (twin)`, of })

/**
 * @param {Experiment} experiment
 * @param {(arm: string, where: string) => string} known
 * @param {(why: string) => Error} fail
 * @returns {[string, string][]}
 */
function listContrasts ({ contrasts, arms, steps, shares }, known, fail) {
  if (!contrasts) {
    if (shares) return []
    const [first, ...others] = Object.keys(arms)
    if (!steps) return others.map(name => [name, first])
    return others.flatMap(name =>
      steps.map(
        connections => /** @type {[string, string]} */ ([stepName(name, connections), stepName(first, connections)])
      )
    )
  }
  contrasts.forEach(([arm, baseline], at) => {
    known(arm, 'a contrast')
    known(baseline, 'a contrast')
    if (arm === baseline) throw fail(`a contrast compares "${arm}" with itself; the twin does that`)
    const same = (/** @type {[string, string]} */ [a, b]) =>
      (a === arm && b === baseline) || (a === baseline && b === arm)
    if (contrasts.findIndex(same) !== at) throw fail(`the contrast of "${arm}" and "${baseline}" is listed twice`)
  })
  return contrasts
}

/**
 * Returns the load that the command line names, which takes precedence over all else.
 * @param {PlanOptions} options
 * @returns {Partial<Load>}
 */
const typedLoad = ({ connections, engine, path, request }) => ({
  ...request,
  ...connections !== undefined && { connections },
  ...engine !== undefined && { engine },
  ...path !== undefined && { path }
})

/** @param {number} value */
const isCount = value => Number.isInteger(value) && value > 0

/**
 * @param {Experiment} experiment
 * @param {PlanOptions} options
 * @returns {Load}
 */
function getLoad ({ load }, options) {
  const { connections } = options
  if (connections !== undefined && !isCount(connections)) {
    throw badOption('--connections', connections, 'it is a whole number above 0')
  }
  return { ...DEFAULT_LOAD, ...load, ...typedLoad(options) }
}
