/**
 * `hopbench advise` on real apps of several frameworks: whether the advised topology is the best one in an independent
 * run of all that were tried, whether the kit starts and its behaviours hold, and whether the decisions about one app
 * are the same each time.
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OTHER_NODE } from '../../bench/plan/changed-spec.js'
import { parsePrefixes } from '../../bench/plan/file-prefixes.js'
import { copyCompressed } from '../../bench/features/advise/measurements.js'
import { APPS, prepareApp } from '../support/advised-apps.js'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { fixed } from './measure.js'

/** @import { AdviceRecord, RunRecord } from '../../bench/types.js' */
/** @import { App } from '../support/advised-apps.js' */
/** @import { Bench, Line, Part } from './index.js' */

const LOAD = ['--rps', '300', '--p99', '100ms', '--provider', 'fly']
const REPEATED = 'express-sessions'
const REPETITIONS = 5
/** Difference of bytes per response between topologies that count as sending the same. */
const SAME_BYTES = 0.05
const GOALS = { regret: 0.95, agreement: 0.95, firstSeconds: 60, quickSeconds: 180 }
const LIMIT_SECONDS = { advise: 900, run: 600 }

/** @type {Part} */
export default {
  title: 'advise on real apps',
  async run (bench) {
    const workspace = makeWorkspace(bench)
    const lines = []
    const kept = readKept(bench.keep)
    for (const [name, app] of Object.entries(APPS).slice(0, bench.short ? 2 : Infinity)) {
      if (kept.some(({ app }) => app === name)) continue
      bench.printProgress(name)
      const dir = join(workspace.dir, name)
      await prepareApp(name, dir)
      const results = join(workspace.dir, `results-${name}`)
      const advised = await adviseOn(app, { dir, results, workspace })
      if (typeof advised === 'string') {
        lines.push({ what: name, measured: advised, goal: 'an advice', met: false })
        continue
      }
      const regret = await computeRegret(app, advised, { dir, results, workspace })
      kept.push(toKept(name, advised, regret))
      lines.push(...toLines(name, advised, regret))
      if (name === REPEATED && !bench.short) lines.push(await repeat(app, advised, { dir, results, workspace }))
      if (bench.keep) writeFileSync(bench.keep, `${JSON.stringify(kept, null, 1)}\n`)
    }
    return lines
  }
}

/** @typedef {{ dir: string, results: string, workspace: ReturnType<typeof makeWorkspace> }} Place */
/** @typedef {Awaited<ReturnType<typeof computeRegret>>} Regret */

/**
 * Reads the apps that an earlier call has measured, which are not measured again.
 * @param {string} [file] of --keep
 * @returns {ReturnType<typeof toKept>[]}
 */
const readKept = file => file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []

/**
 * Returns what is stored of an app.
 * @param {string} app
 * @param {AdviceRecord} advised
 * @param {Regret} measured
 */
const toKept = (app, { advice, topology, decisions, seconds, sizing, checks }, { arms }) => ({
  app,
  advice,
  topology,
  decisions: Object.fromEntries(decisions.map(({ rule, decision }) => [rule, decision])),
  seconds,
  sizing: sizing && { offering: sizing.offering, instances: sizing.instances, total: sizing.total },
  checks: Object.fromEntries(checks.map(({ title, fault }) => [title, fault])),
  requestsPerCpuSecond: Object.fromEntries(Object.entries(arms).map(([spec, rate]) => [spec, Number(rate.toFixed(1))]))
})

/** @param {App} app */
const flagsOf = ({ command = 'npm start', path = '/', files = [] }) =>
  ['--app', command, '--path', path, ...files.flatMap(folder => ['--files', folder])]

/**
 * Returns the options of the app for clients that accept compressed responses: with copies of its folders, which have
 * compressed files beside the text, or with a list of paths, whose responses are compared decoded.
 * @param {App} app
 * @param {string} dir
 */
function toMeasuredFlags (app, dir) {
  if (app.files === undefined) {
    const list = join(dir, 'paths.txt')
    writeFileSync(list, `${app.path ?? '/'}\n`)
    return ['--app', app.command ?? 'npm start', '--paths', list, '--header', 'Accept-Encoding: gzip']
  }
  const prefixes = parsePrefixes(app.files).map(({ prefix, folder }) => ({ prefix, folder: join(dir, folder) }))
  const copies = copyCompressed(prefixes, mkdtempSync(join(dir, '..', 'copies-')))
  return flagsOf({ ...app, files: copies.map(({ prefix, folder }) => `${prefix}=${folder}`) })
}

/**
 * @param {App} app
 * @param {Place} place
 * @returns {Promise<AdviceRecord | string>} the error, if there is no advice
 */
async function adviseOn (app, { dir, results, workspace }) {
  const { exit, stdout, stderr } = await hopbench(
    ['advise', ...flagsOf(app), '--quick', '--yes', '--force', '--json', '--results', results, ...LOAD],
    { workspace, cwd: dir, timeoutSeconds: LIMIT_SECONDS.advise })
  return exit === 0 ? JSON.parse(stdout) : stderr.trim().split('\n').slice(-2).join(' ')
}

/**
 * Returns the throughput per core of the advised topology, divided by the best of all that were tried and send as few
 * bytes.
 * @param {App} app
 * @param {AdviceRecord} advised
 * @param {Place} place
 * @returns {Promise<{ regret: number, arms: Record<string, number> }>} arms: requests per second of CPU time
 */
async function computeRegret (app, { topology, decisions }, { dir, results, workspace }) {
  const tried = decisions.flatMap(({ because: { contrast } }) => contrast ? [contrast.arm, contrast.baseline] : [])
  // The app under another line of Node is the same topology.
  const words = new Set(['app', 'nginx:keepalive/app', topology, ...tried].filter(spec => spec !== OTHER_NODE))
  const { exit, stdout, stderr } = await hopbench(
    ['run', ...words, ...toMeasuredFlags(app, dir), '--quick', '--seed', '7', '--json', '--results', results],
    { workspace, cwd: dir, timeoutSeconds: LIMIT_SECONDS.run })
  /** @type {Partial<RunRecord>} */
  const { arms } = stdout.trim() === '' ? {} : JSON.parse(stdout)
  // With an invalid arm the exit code is 1, and the others count.
  if (arms === undefined) throw new Error(`exit code ${exit}: ${stdout}${stderr}`)
  const valid = arms.flatMap(({ spec, cpuMicrosPerRequest: cpu, invalid, bytesPerResponse: bytes = null }) =>
    cpu && !invalid ? [{ spec, perSecond: 1e6 / (cpu.proxy + cpu.server), bytes }] : [])
  const advised = valid.find(({ spec }) => spec === topology)
  // Compression costs CPU time and saves traffic, so topologies that send more bytes are no alternatives.
  const alike = valid.filter(({ bytes }) =>
    bytes === null || !advised?.bytes || bytes <= advised.bytes * (1 + SAME_BYTES))
  return {
    regret: Number(advised?.perSecond) / Math.max(...alike.map(({ perSecond }) => perSecond)),
    arms: Object.fromEntries(valid.map(({ spec, perSecond }) => [spec, perSecond]))
  }
}

/**
 * @param {string} name
 * @param {AdviceRecord} advised
 * @param {{ regret: number }} measured
 * @returns {Line[]}
 */
function toLines (name, { topology, checks, seconds }, { regret }) {
  const faults = checks.filter(({ holds }) => !holds).map(({ title, fault }) => `${title} (${fault})`)
  return [
    {
      what: `${name}: ${topology}, per core, of the best`,
      measured: fixed(regret, 2),
      goal: `≥ ${GOALS.regret}`,
      met: regret >= GOALS.regret
    },
    {
      what: `${name}: behaviours of its kit`,
      measured: faults.join(', ') || `${checks.length} hold`,
      goal: 'all hold',
      met: checks.length > 0 && faults.length === 0
    },
    {
      what: `${name}: first decision and end`,
      measured: `${seconds.firstDecision?.toFixed(0)} s, ${seconds.all.toFixed(0)} s`,
      goal: `≤ ${GOALS.firstSeconds} s, ≤ ${GOALS.quickSeconds} s`,
      met: Number(seconds.firstDecision) <= GOALS.firstSeconds && seconds.all <= GOALS.quickSeconds
    }
  ]
}

/**
 * Asks for further advice about an app, and compares the decisions with the first ones.
 * @param {App} app
 * @param {AdviceRecord} first
 * @param {Place} place
 * @returns {Promise<Line>}
 */
async function repeat (app, first, place) {
  let [equal, reversed, all] = [0, 0, 0]
  for (let i = 1; i < REPETITIONS; i++) {
    const advised = await adviseOn(app, place)
    if (typeof advised === 'string') throw new Error(advised)
    for (const { rule, decision } of advised.decisions) {
      const before = first.decisions.find(other => other.rule === rule)?.decision
      all++
      if (decision === before) equal++
      if (new Set([decision, before, 'do', 'do-not']).size === 2 && decision !== before) reversed++
    }
  }
  return {
    what: `decisions of ${REPETITIONS} advices about ${REPEATED}`,
    measured: `${fixed(equal / all, 2)} are equal, ${reversed} reversed`,
    goal: `≥ ${GOALS.agreement}, none reversed`,
    met: equal / all >= GOALS.agreement && reversed === 0
  }
}
