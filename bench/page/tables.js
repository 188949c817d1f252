/**
 * The numbers behind every chart, as they are printed: nothing is only to be seen in a drawing.
 * @import { ArmResult, RunRecord, SelfTest, SeriesPoint, Sizing, UserPoint } from '../types.js'
 */
import { count, estimate, interval, isNumber, level, micros, NONE, percent, rate } from '../report/format.js'
import { byShare } from '../report/rates.js'
import { money, perInstance, planName } from '../report/sizing.js'
import { heldBack } from '../report/sentences.js'
import { errorKinds } from '../report/table.js'
import { unitOf } from '../report/units.js'
import { askedOf, coresOf, failuresOf, mostUsers, ofACore } from '../report/users.js'
import { PERCENTILES } from './latency-chart.js'

/** `numeric`: whether the column is one of figures */
/** @typedef {{ head: { text: string, numeric: boolean }[], rows: string[][] }} Table */

/** @type {(...names: string[]) => Table['head']} a name that begins with # is a column of figures */
const heads = (...names) => names.map(name => ({ text: name.replace(/^#/, ''), numeric: name.startsWith('#') }))

/** @param {RunRecord} record @returns {Table} */
export function rateTable ({ arms, unit }) {
  const { perSecond, print } = unitOf(unit)
  return {
    head: heads('arm', 'topology', `#${perSecond}`, '#interval', '#valid trials', 'limited by', 'errors'),
    rows: arms.map(({ name, word, rps, trials, invalidTrials, invalid, bound, errors }) => [
      name, word, print(rps?.median), rps ? interval(print(rps.low || NaN), print(rps.high)) : NONE,
      `${count(trials - invalidTrials.length)} of ${count(trials)}`, rps ? bound : NONE, invalid?.text ?? errorKinds(errors) ?? 'none'
    ])
  }
}

/** @param {RunRecord} record @returns {Table} */
export const contrastTable = ({ contrasts, arms }) => ({
  head: heads('arm', 'against', '#ratio', '#interval', '#level', '#blocks', 'verdict', 'why'),
  rows: contrasts.map(contrast => {
    const text = heldBack(contrast, arms) ? { ratio: NONE, interval: NONE } : estimate(contrast)
    const bound = contrast.oneSided === 'at-least' ? `≥ ${estimate(contrast).low}` : contrast.oneSided === 'at-most' ? `≤ ${estimate(contrast).high}` : null
    return [
      contrast.arm, contrast.baseline, bound ?? text.ratio, bound ? NONE : text.interval, level(contrast.level), count(contrast.blocks),
      contrast.verdict.replace('-', ' '), contrast.why ?? ''
    ]
  })
})

/** @param {RunRecord} record @returns {Table} */
export function costTable ({ arms, unit }) {
  const { units } = unitOf(unit)
  return {
    head: heads('arm', '#load', '#proxy', '#server', '#proxy MiB', '#server MiB', '#bytes an answer'),
    rows: arms.map(({ name, cpuMicrosPerRequest: cpu, memoryMiB: memory, bytesPerResponse }) => [
      name, micros(cpu && cpu.load * units), micros(cpu && cpu.proxy * units), micros(cpu && cpu.server * units),
      memory ? count(Math.round(memory.proxy)) : NONE, memory ? count(Math.round(memory.server)) : NONE, count(bytesPerResponse)
    ])
  }
}

/** @param {RunRecord} record @returns {Table} */
export const latencyTable = ({ arms }) => ({
  head: heads('arm', ...PERCENTILES.map(name => `#${name}, ms`), 'told by'),
  rows: arms.filter(({ latencyMs }) => latencyMs).map(({ name, latencyMs }) => [name, ...PERCENTILES.map(percentile => micros(latencyMs?.[percentile])), latencyMs?.source ?? ''])
})

/** @param {RunRecord} record @returns {Table} */
export const loadTable = record => ({
  head: heads('arm', '#of peak', '#req/s', ...PERCENTILES.map(name => `#${name}, ms`), '#proxy, µs', '#server, µs', 'told by', 'why not'),
  rows: byShare(record).flatMap(({ of, arms }) => arms.map(({ load, rps, latencyMs, cpuMicrosPerRequest: cpu, invalid, invalidTrials }) => [
    of, percent(load.share), rate(rps?.median), ...PERCENTILES.map(percentile => micros(latencyMs?.[percentile])), micros(cpu?.proxy), micros(cpu?.server),
    latencyMs?.source ?? NONE, invalid?.text ?? (rps ? '' : invalidTrials.at(-1)?.reason.text ?? '')
  ]))
})

/** @param {Sizing} sizing @returns {Table} */
export const capacityTable = ({ topologies }) => ({
  head: heads('topology', '#req/s at the goal', '#found again', '#trials', '#p50 unloaded, ms', '#p99 unloaded, ms', '#closed loop, req/s', '#MiB', '#MiB a process', '#µs a connection', '#µs a KiB'),
  rows: topologies.map(({ word, capacity, trials, floor, peak, memoryMiB, processMiB, growth }) => [
    word, `${capacity.atLeast ? '≥ ' : ''}${rate(capacity.rate)}`, capacity.searches.map(rate).join(', '), count(trials.length), micros(floor.p50Ms), micros(floor.p99Ms), rate(peak),
    count(Math.round(memoryMiB)), count(Math.round(processMiB)), micros(growth.perConnection), micros(growth.perKiB)
  ])
})

/** @param {Sizing['table'][number]} row */
const limitOf = ({ limit, usable }) => limit !== 'quota' ? limit ?? NONE : usable == null ? 'the plan\'s CPU' : `${percent(usable)} of the plan's CPU`

/** @param {Sizing} sizing @returns {Table} */
export const plansTable = ({ table }) => ({
  head: heads('plan', 'topology', '#vCPU', '#MiB', '#each, req/s', 'limited by', '#instances', '#a month', '#per 1,000 req/s', '#processes', '#rule of thumb', 'source', 'remarks'),
  rows: table.map(row => [
    planName(row.plan), row.topology, row.plan.vcpu === null ? NONE : String(row.plan.vcpu), count(row.plan.memoryMiB), perInstance(row), limitOf(row),
    count(row.instances), money(row.monthly, row.plan.currency), money(row.perThousand, row.plan.currency), count(row.workers?.workers), count(row.workers?.rule),
    `${row.plan.source}, ${row.plan.date}`, [row.why, row.plan.note].filter(Boolean).join('; ')
  ])
})

/** @param {Sizing} sizing @returns {Table} */
export const trialsTable = ({ topologies }) => ({
  head: heads('topology', '#req/s', '#p99, ms', '#lag p99, ms', 'the goal'),
  rows: topologies.flatMap(({ word, trials }) => trials.map(trial => [word, rate(trial.rate), micros(trial.p99Ms), micros(trial.lagMs), trial.holds ? 'holds' : `does not hold: ${trial.why}`]))
})

/**
 * @param {RunRecord} record
 * @param {(point: SeriesPoint) => string} print
 * @returns {Table}
 */
export function seriesTable ({ arms, plan }, print) {
  const shown = arms.filter(({ name, series }) => series && series.length > 0 && name !== plan.twin?.arm)
  const seconds = [...new Set(shown.flatMap(({ series = [] }) => series.map(({ second }) => second)))].sort((a, b) => a - b)
  return {
    head: heads('second', ...shown.map(({ name }) => `#${name}`)),
    rows: seconds.map(second => [String(second), ...shown.map(({ series = [] }) => {
      const point = series.find(point => point.second === second)
      return point ? print(point) : NONE
    })])
  }
}

/** @param {RunRecord} record @returns {Table} */
export function ladderTable ({ arms, plan, unit }) {
  const shown = arms.filter(arm => arm.ladder && arm.ladder.of !== plan.twin?.arm)
  const steps = [...new Set(shown.map(({ load }) => load.connections))].sort((a, b) => a - b)
  return {
    head: heads('arm', ...steps.map(step => `#${count(step)}`)),
    rows: [...new Set(shown.map(arm => arm.ladder?.of ?? ''))].map(name => [name, ...steps.map(step => {
      const arm = shown.find(arm => arm.ladder?.of === name && arm.load.connections === step)
      if (!arm || arm.trials === 0) return NONE
      return errorKinds(arm.errors) ?? (isNumber(arm.rps?.median) ? unitOf(unit).print(arm.rps.median) : invalidOf(arm))
    })])
  }
}

/** @param {SelfTest} selftest @returns {Table} */
export const resolutionTable = ({ resolution: { table } }) => ({
  head: heads('#wall time in minutes', '#blocks', '#difference'),
  rows: table.map(({ minutes, blocks, difference }) => [count(minutes), count(blocks), percent(difference)])
})

/** @param {SelfTest} selftest @returns {Table} */
export const plantedTable = ({ resolution: { planted } }) => ({
  head: heads('#more CPU time', '#expected', '#ratio', '#interval', 'verdict', '#found after'),
  rows: planted.map(({ more, expected, verdict, foundAfter, ...ratio }) => {
    const text = estimate(ratio)
    return [percent(more), expected.toFixed(3), text.ratio, text.interval, verdict, foundAfter === null ? 'not found' : `${count(foundAfter)} blocks`]
  })
})

/** What an open loop told, and what it should have told. @param {SelfTest} selftest @returns {Table} */
export const accuracyTable = ({ openLoop }) => ({
  head: heads('#requests per second', 'server', 'figure', '#calculated, ms', '#measured, ms'),
  rows: (openLoop?.accuracies ?? []).map(({ rate, kind, figure, calculated, measured }) => [
    count(rate), kind === 'stall' ? 'blocks 300 ms every 3 s' : 'answers after 20 ms', figure, calculated.toFixed(1), measured.toFixed(1)
  ])
})

/** @param {ArmResult} arm */
const invalidOf = ({ invalid, invalidTrials }) => invalid?.text ?? invalidTrials.at(-1)?.reason.text ?? NONE

/** @param {RunRecord['environment']['hosts']} hosts @returns {string[][]} the machines that took part beside the one that led */
const hostRows = hosts => hosts
  ? [
      ...hosts.server === null ? [] : [['served on', hosts.server]],
      ...hosts.load.map(({ name, node, cpu, kernel }) => ['load made on', `${name}: ${cpu.model}, ${cpu.cores} cores, ${kernel}, Node ${node}`])
    ]
  : []

/** @param {RunRecord} record @returns {Table} */
export function environmentTable ({ environment: it, tools, seed, run, startedAt, endedAt }) {
  const cores = (/** @type {number[]} */ list) => list.join(', ') || NONE
  return {
    head: heads('what', 'value'),
    rows: [
      ['run', run],
      ['began, ended (UTC)', `${startedAt}, ${endedAt ?? NONE}`],
      ['processor', `${it.cpu.model}, ${it.cpu.cores} cores${it.cpu.virtual ? ', virtual' : ''}`],
      ['governor', it.cpu.governor ?? 'not told by this system'],
      ['cores', `load ${cores(it.cores.load)}; served ${cores(it.cores.served)}`],
      ['memory', `${count(it.memoryMiB)} MiB`],
      ['system', `${it.platform} ${it.kernel}`],
      ['Node', it.node],
      ...Object.entries(tools).map(([name, version]) => [name, version]),
      ['network', it.lab.network === 'namespaces' ? 'a private namespace for each topology' : `the host's loopback${it.lab.why ? `: ${it.lab.why}` : ''}`],
      ...hostRows(it.hosts),
      ['open files', count(it.limits.openFiles)],
      ['other load', `${it.busy.busyShare == null ? '' : `${percent(it.busy.busyShare)} of the cores at work, `}load average ${it.busy.loadAverage.toFixed(2)} when it began, ${percent(it.busy.stealShare)} of CPU time taken by other guests`],
      ...Object.entries(it.sysctl).map(([name, value]) => [name, value]),
      ['seed', String(seed)]
    ]
  }
}

/** @param {RunRecord} record @returns {Table} */
export const usersTable = record => ({
  head: heads('arm', '#users', '#new a second', '#asked/s', '#req/s', '#p50, ms', '#p95, ms', '#failures', '#load, of a core', '#proxy, of a core', '#proxy, MiB'),
  rows: record.arms.map(arm => [
    arm.name, count(mostUsers(arm)), count(arm.load.spawnPerSecond), rate(askedOf(record, arm)), rate(arm.rps?.median), micros(arm.latencyMs?.p50), micros(arm.latencyMs?.p95),
    count(failuresOf(arm)), ofACore(coresOf(arm, 'load')), ofACore(coresOf(arm, 'proxy')), count(arm.memoryMiB && Math.round(arm.memoryMiB.proxy))
  ])
})

/**
 * @param {RunRecord} record
 * @param {Exclude<keyof UserPoint, 'second'>} figure
 * @returns {Table}
 */
export function usersOverTime ({ arms }, figure) {
  const shown = arms.filter(({ users }) => users && users.length > 0)
  const seconds = [...new Set(shown.flatMap(({ users = [] }) => users.map(({ second }) => second)))].sort((a, b) => a - b)
  const print = figure === 'users' ? count : figure === 'p50' || figure === 'p95' ? micros : rate
  return {
    head: heads('second', ...shown.map(({ name }) => `#${name}`)),
    rows: seconds.map(second => [String(second), ...shown.map(({ users = [] }) => print(users.find(point => point.second === second)?.[figure]))])
  }
}

/** @param {RunRecord} record @returns {Table} */
export const failuresTable = ({ arms }) => ({
  head: heads('arm', '#failures', 'kind'),
  rows: arms.flatMap(({ name, failures = [] }) => failures.length > 0 ? failures.map(({ kind, count: times }) => [name, count(times), kind]) : [[name, '0', 'none']])
})
