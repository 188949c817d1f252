/** Reports a selftest: the smallest difference that the machine resolves, and checks of the suite itself. */
import { isDifferent } from '../../judge/runs/replication.js'
import { isWarmUpTooShort } from '../../judge/runs/resolution.js'
import { finishAnswer } from '../../report/answer.js'
import throughput, { throughputSections } from '../../report/kinds/throughput.js'
import { column } from '../../report/table.js'
import { compact } from '../../report/wrap.js'
import { count, estimateText, isNumber, listing, NONE, percent, plural } from '../../shared/format.js'
import { BY_HAND_LEAST } from '../../shared/thresholds.js'

/** @import { Kind, OpenLoopAccuracy, PlantedResult, Resolution, RunRecord, Section, SelfTest } from '../../types.js' */
/** @import { Table, Variances } from '../../types.js' */

/** @type {Kind<RunRecord & { selftest: SelfTest }>} */
export default {
  ...throughput,
  kind: 'selftest',
  answer: record => finishAnswer(record, { text: selftestAnswer(record.selftest) }),
  sections: (record, extras) => [...selftestSections(record.selftest), ...throughputSections(record, extras)],
  // The arms of a selftest are equal on purpose.
  next: () => []
}

/**
 * @param {SelfTest} selftest
 * @returns {Section[]}
 */
const selftestSections = selftest => [
  {
    id: 'resolution',
    title: 'The smallest difference that this machine resolves',
    blocks: [resolutionTable(selftest), ...replicationSentences(selftest)],
    brief: true
  },
  {
    id: 'planted',
    title: 'Planted differences',
    blocks: [
      plantedTable(selftest),
      'The same server with more CPU time for each request. Ratio and interval are of all runs together; ' +
      'held: independent runs whose 95 % interval holds the expected ratio; found: those that called it different.'
    ]
  },
  { id: 'suite', title: 'The suite itself', blocks: [accuracyTable(selftest), ...suiteSentences(selftest)] }
]

/**
 * Returns the resolution of the machine in a sentence, or that the selftest failed.
 * @param {SelfTest} selftest
 */
function selftestAnswer (selftest) {
  if (isWarmUpTooShort(selftest)) {
    return 'The selftest failed: two equal servers were called different, because one of them takes longer to warm up.'
  }
  const { table } = selftest.resolution
  const known = table.filter(({ difference }) => Number.isFinite(difference))
  if (known.length === 0) return 'Too little was measured to estimate what this machine resolves.'
  const differences = known.map(({ minutes, difference }) =>
    `${percent(difference)} in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`)
  return `This machine resolves ${listing(differences)}: the detectable difference at 80 % power.`
}

/** @param {SelfTest['resolution']['late']} late */
function lateSentence ({ requests, more, verdict, ...measured }) {
  const result = isDifferent({ verdict })
    ? 'FAILED: found different, because the warm-up of a run ends too early here'
    : verdict === 'no-difference' ? 'found equal' : 'not decided'
  return `Equal after ${count(requests)} requests that cost ${percent(more)} more: ratio ` +
    `${estimateText(measured)}, ${result}.`
}

/**
 * Returns the rate of false verdicts, the result of the planted warm-up, and how much the ratio of two arms varies.
 * @param {SelfTest} selftest
 * @returns {string[]}
 */
function replicationSentences ({ resolution: { equal, late, variances } }) {
  const { runs, segments, different } = equal
  return compact([
    segments === 0
      ? 'Equal arms were not measured for long enough to estimate the rate of false verdicts.'
      : `Two equal arms (A/A) were called different in ${count(different)} of ` +
        `${plural(runs, 'independent run')}.`,
    lateSentence(late),
    varianceSentence(variances)
  ])
}

/** @param {Variances} variances */
function varianceSentence ({ sliceSd, startSd, runSd, starts, runs }) {
  const part = (/** @type {number | null} */ sd, /** @type {string} */ level, /** @type {string} */ below) => {
    if (sd === null) return `an unknown amount ${level}`
    return sd === 0 ? `no more ${level} than ${below} explain` : `${percent(sd)} ${level}`
  }
  return `The ratio of two arms varies by ${part(sliceSd, 'from block to block', '')}, ` +
    `${part(startSd, 'from start to start', 'blocks')} and ${part(runSd, 'from run to run', 'starts')} ` +
    `(standard deviations; ${plural(runs, 'run')}, ${plural(starts, 'start')}).`
}

/**
 * Returns the checks of counts and open loops, and the noise of the machine.
 * @param {SelfTest} selftest
 * @returns {string[]}
 */
function suiteSentences ({ counts, byHand, openLoop, noise, seconds }) {
  return compact([
    counts.disagreements.length === 0
      ? `Client and server counted the same requests in all of ${count(counts.arms)} arms.`
      : `Client and server counted differently: ${listing(counts.disagreements)}.`,
    byHand && `Run by the suite autocannon reached ${percent(byHand.ratio)} of its rate when run by hand (` +
      `${byHand.pairs.length} pairs in turn; the suite ` +
      `${byHand.ratio >= BY_HAND_LEAST ? 'costs next to nothing' : 'lowers the rates that it measures'}).`,
    openLoop && openLoopSentence(openLoop),
    `Noise by source: other guests took ${percent(noise.stealShare)} of the CPU time, other programs ` +
    `${percent(noise.otherShare)}; the generator used ${percent(noise.generatorShare)} of its core; ` +
    `the clock's governor is ${noise.governor ?? 'not reported by this system'}` +
    `${noise.virtual ? '; the machine is a virtual one, and shares its cores with others' : ''}.`,
    `It took ${Math.round(seconds)} s.`
  ])
}

/** @param {NonNullable<SelfTest['openLoop']>} openLoop */
function openLoopSentence ({ accuracies, beyond }) {
  const errors = [...new Set(accuracies.map(({ engine }) => engine))].map(name => {
    const own = accuracies.filter(({ engine }) => engine === name)
      .map(({ measured, calculated }) => Math.abs(measured / calculated - 1))
    return `${percent(Math.max(...own))} (${name})`
  })
  const accuracy = errors.length === 0
    ? 'An open loop could not be tried'
    : `An open loop measured calculated latencies with errors of up to ${listing(errors)}`
  return accuracy + (beyond.length > 0
    ? `; ${listing(beyond.map(rate => count(rate)))} req/s are beyond the capacity of the server here.`
    : '.')
}

/**
 * @param {SelfTest} selftest
 * @returns {Table<Resolution['table'][number]>}
 */
const resolutionTable = ({ resolution }) => ({
  rows: resolution.table,
  columns: [
    column('wall time', ({ minutes }) => plural(minutes, 'minute'), { left: true, width: 10 }),
    column('starts', ({ starts }) => starts === undefined ? NONE : count(starts), { width: 6 }),
    column('blocks', ({ blocks }) => count(blocks), { width: 6 }),
    column('difference', ({ difference }) => isNumber(difference) ? percent(difference) : NONE, { width: 10 })
  ]
})

/**
 * @param {SelfTest} selftest
 * @returns {Table<PlantedResult>}
 */
const plantedTable = ({ resolution: { planted } }) => ({
  rows: planted,
  columns: [
    column({ text: 'more', page: 'more CPU time' }, ({ more }) => percent(more), { left: true, width: 5 }),
    column('expected', ({ expected }) => expected.toFixed(3), { width: 8 }),
    column('ratio', ({ ratio }) => isNumber(ratio) ? ratio.toFixed(3) : NONE, { width: 5 }),
    column('interval', ({ low, high }) =>
      [low, high].every(isNumber) ? `${low.toFixed(3)} to ${high.toFixed(3)}` : NONE, { width: 14 }),
    column('verdict', ({ verdict }) => verdict, { left: true, width: 13 }),
    column('held', row => ofRuns(row.held, row), { width: 7 }),
    column('found', row => ofRuns(row.found, row), { width: 7 })
  ]
})

/**
 * @param {number | undefined} number
 * @param {PlantedResult} row
 */
const ofRuns = (number, { runs }) => number === undefined || runs === undefined ? NONE : `${number} of ${runs}`

/**
 * Returns the figures that open loops measured, beside the calculated ones.
 * @param {SelfTest} selftest
 * @returns {Table<OpenLoopAccuracy>}
 */
const accuracyTable = ({ openLoop }) => ({
  rows: openLoop?.accuracies ?? [],
  columns: [
    column('requests per second', ({ rate }) => count(rate)),
    column('engine', ({ engine }) => engine, { left: true }),
    column('server', ({ kind }) => kind === 'stall' ? 'blocks 300 ms every 3 s' : 'responds after 20 ms',
      { left: true }),
    column('figure', ({ figure }) => figure, { left: true }),
    column('calculated, ms', ({ calculated }) => calculated.toFixed(1)),
    column('measured, ms', ({ measured }) => measured.toFixed(1))
  ]
})
