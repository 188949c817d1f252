/** The answer to the question of serving the files of a site, from a run that counts page views and one that offers
 * them at fixed rates (pure). */
import { estimate, isNumber, listing, micros, percent, rate } from '../../shared/format.js'
import { saturationSentence } from '../contrast-sentences.js'
import { ofApp } from '../latencies.js'
import { printChange } from '../share-text.js'
import { groupSteps } from '../tables/arms.js'
import { findContrasts, pairSentence } from './pairs.js'

/** @import { ArmResult, Contrast, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

/** Smallest relative difference of two p99 that is reported as a difference. */
const RELEVANT = 0.1
const HALF = 0.5 // Share of the lowest peak at which the answer compares response times.

/** @typedef {{ arm: ArmResult, baseline: ArmResult }} ArmPair files at the proxy, files at the app */

/**
 * Returns the answer in page views and response times, then CPU time and memory, the response times at each rate, the
 * highest rate without a difference between them, and the other pairs.
 * @param {Question} question the first pair is [files at the proxy, files at the app]
 * @param {RunRecord} record unit page views
 * @param {RunRecord | null} latency of the question's second experiment; null: not measured
 * @returns {string[]} empty: the first pair was not measured
 */
export function siteSentences (question, record, latency) {
  const { pairs = [], names = {} } = question
  const contrasts = findContrasts(question, record)
  const [main, ...others] = contrasts
  const arms = pairs[0]?.map(name => record.arms.find(arm => arm.name === name)) ?? []
  if (!main || main.arm !== pairs[0][0] || !arms[0] || !arms[1]) return []
  const pair = { arm: arms[0], baseline: arms[1] }
  const measured = latency ? listLoads(question, latency) : []
  const late = measured.findIndex(load => !isPunctual(load))
  const loads = late === -1 ? measured : measured.slice(0, late)
  return [
    leadSentence(main, loads.find(({ arm }) => arm.load.share === HALF)),
    ...costSentence(pair),
    ...latencySentence(loads),
    ...thresholdSentence(loads),
    ...late === -1 ? [] : [lateSentence(measured[late])],
    ...others.map(contrast => pairSentence(contrast, { names, arms: record.arms })),
    ...saturationSentence({ ...record, contrasts })
  ]
}

/**
 * @param {Contrast} contrast
 * @param {ArmPair | undefined} half at half load
 */
function leadSentence ({ verdict, ...contrast }, half) {
  const text = estimate(contrast)
  const times = contrast.oneSided === 'at-least'
    ? `at least ${text.low} times as many page views`
    : `${text.ratio} times as many page views (${text.interval})`
  const atHalf = half ? `; at half load the p99 of the app's own requests ${comparePercentiles(half)}` : ''
  switch (verdict) {
    case 'faster': return `Yes: with its files at nginx a site serves ${times}${atHalf}.`
    case 'slower': return `Not for throughput: with its files at nginx a site serves ${times}${atHalf}.`
    case 'no-difference': return `Throughput is equal: ${text.ratio} (${text.interval})${atHalf}.`
    default: return `Whether a site serves more page views with its files at nginx is open on this machine${atHalf}.`
  }
}

/**
 * Prints a percentile with the files at the app and at nginx.
 * @type {(load: ArmPair, key: 'p50' | 'p99') => string[]}
 */
const printBoth = ({ arm, baseline }, key) => [baseline, arm].map(({ latencyMs }) => micros(latencyMs?.[key]))

/** @param {ArmPair} load */
function comparePercentiles (load) {
  const [atApp, atNginx] = printBoth(load, 'p99')
  const [p50AtApp, p50AtNginx] = printBoth(load, 'p50')
  const change = differenceOf(load) < RELEVANT ? `differs by less than ${percent(RELEVANT)}:` : 'is'
  return `${change} ${atApp} ms with the files at the app and ${atNginx} ms at nginx (p50 ${p50AtApp} and ` +
    `${p50AtNginx} ms)`
}

/**
 * Reports page views for each core, and memory.
 * @param {ArmPair} pair
 * @returns {string[]} empty: not measured
 */
function costSentence ({ arm, baseline }) {
  const costs = [baseline, arm].flatMap(({ cpuMicrosPerRequest: cpu }) => cpu ? [cpu.proxy + cpu.server] : [])
  const memory = [baseline, arm].flatMap(({ memoryMiB }) => memoryMiB ? [memoryMiB.proxy + memoryMiB.server] : [])
  if (costs.length < 2 || memory.length < 2) return []
  const [atApp, atNginx] = costs.map(cost => rate(1e6 / cost))
  return [`By CPU time (${costs.map(micros).join(' and ')} µs for a page view) one core serves ${atApp} page views a ` +
    `second with the files at the app, and ${atNginx} with the files at nginx; memory: ${
      memory.map(Math.round).join(' and ')} MiB.`]
}

/**
 * Returns the pairs of arms at the same offered rate, the lowest rate first.
 * @param {Question} question
 * @param {RunRecord} latency
 * @returns {ArmPair[]} empty: an arm was not measured
 */
function listLoads ({ second }, latency) {
  const groups = groupSteps({ arms: latency.arms.map(ofApp) })
  const [arms, baselines] = (second?.steps ?? []).map(name => groups.find(group => group.name === name)?.steps ?? [])
  return (arms ?? []).flatMap((arm, i) => {
    const baseline = baselines?.[i]
    return baseline && isNumber(arm.latencyMs?.p99) && isNumber(baseline.latencyMs?.p99) ? [{ arm, baseline }] : []
  })
}

/** Prints an offered rate in page views. @param {ArmPair} load */
function printRate ({ arm: { rps, bytesPerResponse } }) {
  const pages = `${rate(rps?.median)} page views a second`
  return isNumber(bytesPerResponse) && rps ? `${pages}, ${micros(bytesPerResponse * rps.median / 1e6)} MB/s` : pages
}

/**
 * @param {ArmPair[]} loads
 * @returns {string[]} one sentence at most
 */
function latencySentence (loads) {
  if (loads.length === 0) return []
  const points = loads.map(load => {
    const [atApp, atNginx] = printBoth(load, 'p99')
    return `${atApp} and ${atNginx} ms (p50 ${printBoth(load, 'p50').join(' and ')} ms) at ${
      percent(load.arm.load.share)} of the lower peak (${printRate(load)})`
  })
  return [`The p99 of the app's own requests, with the files at the app and at nginx: ${listing(points)}.`]
}

/**
 * Reports the highest rate at which the p99 of the app differs by less than RELEVANT, and the changes of p50 and of the
 * files' p99 up to it.
 * @param {ArmPair[]} loads the lowest rate first
 * @returns {string[]} one sentence at most
 */
function thresholdSentence (loads) {
  if (loads.length === 0) return []
  const first = loads.findIndex(load => differenceOf(load) >= RELEVANT)
  const [lowest] = loads
  if (first === 0) {
    return [`It matters at the lowest measured load already, ${printRate(lowest)}: there the p99 differs by ` +
      `${percent(differenceOf(lowest))}.`]
  }
  const alike = loads.slice(0, first === -1 ? loads.length : first)
  const last = alike[alike.length - 1]
  const changes = [
    ...changeOf('p50', alike, ({ latencyMs }) => latencyMs?.p50),
    ...changeOf('p99 of the files', alike, ({ latencyByKind }) => latencyByKind?.files?.p99)
  ]
  const others = changes.length > 0 ? `; with the files at nginx ${changes.join(', and ')}` : ''
  return [`Up to ${printRate(last)} it does not matter for the p99 of the app's own requests, which differs by less ` +
    `than ${percent(RELEVANT)}${others}.`]
}

/**
 * Reports the lowest rate at which the load generator itself was late. Response times at this rate and above it are not
 * compared.
 * @param {ArmPair} load
 */
function lateSentence (load) {
  const lag = Math.max(...[load.arm, load.baseline].map(({ lagP99Ms = 0 }) => lagP99Ms))
  return `From ${printRate(load)} on the load generator itself was late (p99 ${micros(lag)} ms), so response times ` +
    'are not compared there.'
}

/** Returns the relative difference of the p99. @param {ArmPair} load */
const differenceOf = ({ arm, baseline }) =>
  Math.abs(Number(baseline.latencyMs?.p99) / Number(arm.latencyMs?.p99) - 1)

/**
 * Returns whether the time by which the generator sent late is less than a relevant difference of the p99.
 * @param {ArmPair} load
 */
const isPunctual = ({ arm, baseline }) =>
  [arm, baseline].every(({ lagP99Ms = 0, latencyMs }) => lagP99Ms < RELEVANT * Number(latencyMs?.p99))

/**
 * Prints the range in which a response time changes when nginx serves the files.
 * @param {string} name of the response time
 * @param {ArmPair[]} loads
 * @param {(arm: ArmResult) => number | null | undefined} getMs
 * @returns {string[]} "the p50 changes by +11 to +14 %"; empty: not measured
 */
function changeOf (name, loads, getMs) {
  const ratios = loads.map(({ arm, baseline }) => Number(getMs(arm)) / Number(getMs(baseline)))
  if (!ratios.every(Number.isFinite)) return []
  const ends = [Math.min(...ratios), Math.max(...ratios)].map(ratio => printChange({ ratio, low: null, high: null }))
  return [`the ${name} changes by ${[...new Set(ends)].join(' to ')}`]
}
