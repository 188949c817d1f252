/** Reference runs that published pages need, and why a stored run does not serve as one (pure). */
import semver from 'semver'
import { isBeforeWarmUp } from '../../bench/features/publish/before-warm-up-text.js'
import { findDriftOfRun } from '../../bench/judge/drift.js'
import { printPlan } from '../../bench/judge/runs/combine-runs.js'
import { startsEachTrial } from '../../bench/plan/plan.js'
import { getServedNode } from '../../bench/plan/runtimes.js'
import { readVersion } from '../../bench/shared/releases.js'
import { listing, plural } from '../../bench/shared/format.js'

/** @import { Question } from '../../bench/features/publish/questions.js' */
/** @import { CheckedChain, CheckRecord, CheckedServer } from '../../bench/types.js' */
/** @import { Contrast, Experiment, Plan, RunRecord } from '../../bench/types.js' */

/** @typedef {Pick<CheckRecord, 'tools'> & { probes: unknown[], servers: (Pick<CheckedServer, 'node'> &
 *   { chains: (Pick<CheckedChain, 'error'> & { results: unknown[] })[] })[] }} StoredCheck */
/**
 * @typedef {object} Need
 * @property {string} experiment
 * @property {string[]} words command that makes the run, without the name of the program
 * @property {number | null} line of Node that built-in servers run under; null: as the command runs them
 * @property {number} times number of runs, in different hours
 * @property {string[]} pages published pages and questions that need the run
 */
/**
 * @typedef {object} Stored
 * @property {string | null} set kind of machine under which the run is filed; null: filed under none
 * @property {RunRecord} record
 */
/**
 * @typedef {object} Conditions that a reference run meets
 * @property {string} set kind of machine
 * @property {Pick<Plan, 'arms' | 'contrasts'> | null} plan of the experiment as it is now; null: not compared
 * @property {ReadonlyMap<string, string>} versions newest version by program
 * @property {ReadonlyMap<number, string>} nodes version by line of Node
 */
/**
 * @typedef {object} State of a need
 * @property {Need} need
 * @property {Stored[]} valid runs, the oldest first
 * @property {number} done valid runs in different hours, at most `need.times`
 * @property {string | null} why what is missing; null: nothing
 */

/** Runs of a headline. Three show whether the interval of each holds the variation between runs. */
export const HEADLINE_RUNS = 3
/** Fewest starts of a contrast: processes differ from start to start, which one start does not show. */
const MIN_STARTS = 2
/** Shortest time between the starts of two runs that count as two: other guests load a virtual machine by the hour. */
const APART_MS = 3600 * 1000

/**
 * Lists the reference runs that pages need, the most important first: those of README.md, of the other questions, of
 * claims, and of docs/experiments.md. A further run of a headline ranks behind first runs of questions.
 *
 * @param {{ name: string, experiment: Pick<Experiment, 'claims'> }[]} experiments all of them
 * @param {Question[]} questions
 * @param {number} lts current line of Node with long-term support
 * @returns {Need[]}
 */
export function listNeeds (experiments, questions, lts) {
  /** @type {Map<string, Need>} */
  const needs = new Map()
  /** @type {(command: string, line: number, page: string, times?: number) => void} */
  const add = (command, line, page, times = 1) => {
    const key = `${command} under Node ${line}`
    const words = command.split(' ')
    const experiment = words[0] === 'run' ? words[1] : words[0]
    const known = needs.get(key) ?? { experiment, words, line, times, pages: [] }
    needs.set(key, { ...known, times: Math.max(known.times, times), pages: [...known.pages, page] })
  }
  for (const { id, headline, measure = [], lines = [lts] } of [
    ...questions.filter(({ headline }) => headline), ...questions.filter(({ headline }) => !headline)
  ]) {
    for (const command of measure) {
      for (const line of lines) add(command, line, `answers.md#${id}`, headline ? HEADLINE_RUNS : 1)
    }
  }
  const answering = new Set([...needs.values()].map(({ experiment }) => experiment))
  const others = experiments.filter(({ name }) => !answering.has(name))
    .map(({ name, experiment: { claims = [] } }) => ({ name, isClaimed: claims.length > 0 }))
  for (const { name, isClaimed } of [...others.filter(one => one.isClaimed), ...others.filter(one => !one.isClaimed)]) {
    add(`run ${name} --release current`, lts, isClaimed ? 'claims.md' : 'experiments.md')
  }
  return [...needs.values()]
}

/**
 * Returns the newest version of each program. Node and clients on Node are left out, because their line is part of a
 * need.
 *
 * @param {Record<string, string>[]} tools of runs, or known otherwise
 * @returns {Map<string, string>} by program
 */
export function listNewest (tools) {
  /** @type {Map<string, string>} */
  const newest = new Map()
  for (const [program, text] of tools.flatMap(versions => Object.entries(versions))) {
    const known = newest.get(program)
    if (!OF_NODE.includes(program) && (known === undefined || isOlder(known, text))) newest.set(program, text)
  }
  return newest
}
const OF_NODE = ['node', 'paced', 'plays']

/** @type {(version: string, other: string) => boolean} */
const isOlder = (version, other) => {
  const [first, second] = [version, other].map(text => semver.coerce(readVersion(text)))
  return first !== null && second !== null && semver.lt(first, second)
}

/**
 * Returns whether a run is of the experiment, the line of Node and the rate that a need names.
 *
 * @param {Need} need
 * @param {RunRecord} record
 */
export function isOf ({ experiment, words, line }, record) {
  const rate = words.includes('--rps') ? Number(words[words.indexOf('--rps') + 1]) : undefined
  return record.experiment === experiment && record.sizing?.goal.rate === rate &&
    (line === null || semver.major(getServedNode(record)) === line)
}

/**
 * Returns why a run is not a reference run.
 *
 * @param {RunRecord} record
 * @param {Omit<Conditions, 'set'>} conditions
 * @returns {string | null} null: a reference run
 */
export function findFault (record, { plan, versions, nodes }) {
  if (!record.complete) return 'interrupted'
  if (record.plan.quick || record.plan.smoke) return 'quick'
  if (isBeforeWarmUp(record)) return 'older than the measured warm-up'
  const older = listOlder(record.tools, getServedNode(record), { versions, nodes })
  if (older.length > 0) return `older ${listing(older)}`
  if (plan && printPlan(plan) !== printPlan(record.plan)) return 'the experiment has changed'
  const countStarts = (/** @type {Contrast} */ { starts, blocks }) =>
    starts ?? (startsEachTrial(record.plan) ? blocks : 1)
  const few = record.contrasts.find(contrast => contrast.verdict !== 'invalid' && countStarts(contrast) < MIN_STARTS)
  if (few) return `${few.arm} / ${few.baseline} has ${plural(countStarts(few), 'start')} of ${MIN_STARTS}`
  const { minBlocks } = record.plan.targets
  const short = record.arms.find(({ load, plays }) => load.scenario && (plays?.plays ?? 0) < minBlocks)
  if (short) return `${short.name} has ${plural(short.plays?.plays ?? 0, 'play')} of ${minBlocks}`
  const blocks = record.warnings.find(warning => warning.code === 'few-blocks')?.params
  if (blocks) return `${plural(Number(blocks.blocks), 'block')} of ${blocks.needed}`
  const drifting = findDriftOfRun(record.contrasts)
  return drifting ? `${drifting.arm} / ${drifting.baseline} depends on the position in a start` : null
}

/**
 * Lists the programs of which there is a newer version.
 *
 * @param {Record<string, string>} tools version by program
 * @param {string} node version of the Node of servers, empty for a server of another runtime
 * @param {Pick<Conditions, 'versions' | 'nodes'>} newest
 */
function listOlder (tools, node, { versions, nodes }) {
  const programs = Object.entries(tools).filter(([program, text]) => isOlder(text, versions.get(program) ?? text))
    .map(([program]) => program)
  const isNodeOlder = node !== '' && isOlder(node, nodes.get(semver.major(node)) ?? node)
  return isNodeOlder ? [...programs, 'Node'] : programs
}

/**
 * Returns why a check is none of today's servers.
 *
 * @param {StoredCheck} check
 * @param {Pick<Conditions, 'versions' | 'nodes'>} newest
 */
function findCheckFault ({ tools, probes, servers }, newest) {
  const older = new Set(servers.flatMap(({ node }) => listOlder(tools ?? {}, node, newest)))
  if (older.size > 0) return `older ${listing([...older])}`
  const hasAll = servers.every(({ chains }) => chains.every(({ error, results }) =>
    error !== null || results.length >= probes.length))
  return hasAll ? null : 'fewer probes'
}

/**
 * Returns the state of the check of the servers.
 *
 * @param {Need} need
 * @param {StoredCheck | null} check null: not stored
 * @param {Pick<Conditions, 'versions' | 'nodes'>} newest
 * @returns {State}
 */
export function getCheckState (need, check, newest) {
  const why = check ? findCheckFault(check, newest) : 'never measured'
  return { need, valid: [], done: Number(why === null), why }
}

/**
 * Returns the state of a need.
 *
 * @param {Need} need
 * @param {Stored[]} stored all runs, the oldest first
 * @param {Conditions} conditions
 * @returns {State}
 */
export function getState (need, stored, { set, ...conditions }) {
  const candidates = stored.filter(({ record }) => isOf(need, record)).map(run =>
    ({ ...run, fault: findFault(run.record, conditions) ?? (run.set === set ? null : 'not filed for this machine') }))
  const valid = candidates.filter(({ fault }) => fault === null)
  const done = Math.min(need.times, countApart(valid))
  const missing = done > 0 ? `${done} of ${need.times} runs` : candidates.at(-1)?.fault ?? 'never measured'
  return { need, valid, done, why: done === need.times ? null : missing }
}

/**
 * Counts the runs that started at least APART_MS after the one counted before.
 *
 * @param {Pick<Stored, 'record'>[]} runs the oldest first
 */
function countApart (runs) {
  let [counted, last] = [0, -Infinity]
  for (const at of runs.map(({ record }) => Date.parse(record.startedAt))) {
    if (at - last >= APART_MS) [counted, last] = [counted + 1, at]
  }
  return counted
}

/**
 * Returns the time at which a need can be measured again, in milliseconds.
 *
 * @param {State} state
 */
export const getDue = ({ valid }) => {
  const last = valid.at(-1)
  return last ? Date.parse(last.record.startedAt) + APART_MS : 0
}

/**
 * Returns the missing runs in the order in which they are made: first runs before further ones.
 *
 * @param {State[]} states in the order of needs
 */
export const orderMissing = states =>
  states.filter(({ why }) => why !== null).toSorted((a, b) => a.done - b.done)

/**
 * Returns the estimated seconds of one run: the time of the last one, or its budget if this is longer, because a
 * measured warm-up takes more time than the earlier one.
 *
 * @param {Need} need
 * @param {Pick<Stored, 'record'>[]} stored the oldest first
 * @param {number} budgetSeconds
 */
export function estimateSeconds (need, stored, budgetSeconds) {
  const last = stored.findLast(({ record }) => isOf({ ...need, line: null }, record) && record.endedAt !== null)
  const took = last ? (Date.parse(String(last.record.endedAt)) - Date.parse(last.record.startedAt)) / 1000 : 0
  return Math.max(took, budgetSeconds)
}
