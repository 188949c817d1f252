/** Report of rollouts: the only code that reads the field `rollout` of a record for an output (pure). */
import { shellWord } from '../../errors.js'
import { isForeign } from '../../plan/foreign.js'
import { NO_MEASUREMENT, finishAnswer } from '../../report/answer.js'
import { run } from '../../report/kinds/run.js'
import { getSeconds } from '../../report/sentences/run-sentences.js'
import { column } from '../../report/table.js'
import { compact } from '../../report/wrap.js'
import { NONE, capitalize, count, duration, ended, interval, listing, plural } from '../../shared/format.js'
import { explainLosses, printMs } from './explain.js'
import { isRight } from './clients/outcomes.js'
import { listMendLines } from './mend-lines.js'
import { countLosses, countOutcomes, rankArms, toName } from './losses.js'

/** @import { AppFaultCode } from './app-half.js' */
/** @import { Bar, Block, ChartBlock, CommandBlock, Kind, RolloutArm, RunRecord } from '../../types.js' */
/** @import { RunRollout, Section, Table } from '../../types.js' */
/** @import { ArmLosses } from './losses.js' */

/** @typedef {RunRecord & { rollout: RunRollout }} Rollouts */

/** Requests to which losses are related, so that one in a thousand is a whole number. */
const PER = 10_000
const MAX_NAMED = 3 // Further arms without a loss that the answer names.
const LATE = 'the clients were late, because other programs use this machine'
const CUT = 'Causes are of the first losses of each rollout, which are listed with their times.'
const MAX_CAUSES = 4 // Causes of an arm in the short report.

/** @type {Kind<Rollouts>} */
export default {
  ...run,
  kind: 'rollout',
  answer: record => finishAnswer(record, { text: answer(record.rollout) },
    `The run was interrupted after ${plural(record.timing.blocks, 'rollout')}.`),
  sections: ({ rollout }) => toSections(rollout),
  end: record => `${plural(record.timing.blocks, 'rollout')} in ${duration(getSeconds(record))}. Seed ${record.seed}.`,
  next: record => isForeign(record.plan) ? [] : toEvidence(record.rollout),
  mainChart: ({ rollout }) => toChart(rollout.arms.map(countLosses)),
  metrics: ({ rollout }) => rollout.arms.map(countLosses).filter(({ valid }) => valid.length > 0)
    .flatMap(({ arm, share: { share, low, high }, gone }) => {
      const metric = { subject: toName(arm), better: /** @type {const} */ ('smaller') }
      return [
        { ...metric, measure: 'lost', unit: 'share', value: share, low, high },
        { ...metric, measure: 'gone-files', unit: 'requests', value: gone, low: null, high: null }
      ]
    }),
  findings: () => []
}

/**
 * Returns the arm that loses the least, and what others lose.
 * @param {RunRollout} rollout
 */
function answer ({ arms }) {
  const all = arms.map(countLosses)
  const [best, ...others] = rankArms(all)
  if (!best) {
    const why = all.some(({ invalid }) => invalid > 0) ? LATE : all.flatMap(({ failures }) => failures)[0]
    return why === undefined ? NO_MEASUREMENT : `There is no valid rollout: ${ended(why)}`
  }
  const [worst, ...less] = others.filter(({ lost }) => lost > 0).reverse()
  const held = others.filter(({ lost }) => lost === 0)
  const isShort = held.length <= MAX_NAMED
  const heldNames = isShort ? listing(held.map(({ arm }) => toName(arm))) : count(held.length)
  const files = printGone(held)
  return compact([
    `${capitalize(toTitle(best.arm))} loses ${count(best.lost)} of ${plural(best.requests, 'request')} in ` +
      `${plural(best.valid.length, 'rollout')}${printBound(best)}${printFiles(best)}.`,
    worst && `Of ${count(PER)} requests ${listing([
      `${toName(worst.arm)} loses ${printRate(worst.share.share)}`,
      ...less.length > 0 ? [`${count(less.length)} ${less.length === 1 ? 'other' : 'others'} less`] : [],
      ...held.length > 0 ? [`${heldNames} none${files}`] : []
    ])}.`,
    !worst && held.length > 0 && `No request was lost with ${isShort ? heldNames : 'the others'} either${files}.`
  ]).join(' ')
}

/** @type {Record<RolloutArm['policy'], string | false>} */
const WITH_FILES = { new: false, kept: 'with kept files', attic: 'with an attic', cdn: 'behind a CDN' }

/** Names an arm by the title of its way. @param {RolloutArm} arm */
const toTitle = ({ title, policy, retries }) =>
  compact([title, WITH_FILES[policy], retries && 'with a reload of the page']).join(' ')

/** @param {ArmLosses} losses */
const printBound = ({ share }) =>
  ` (${share.share === 0 ? 'if independent, at most ' : ''}${printInterval(share)} of ${count(PER)})`

/** @param {ArmLosses} losses */
const printFiles = ({ gone, mixedPages }) => {
  const parts = [
    ...gone > 0 ? [`${plural(gone, 'request')} for gone files`] : [],
    ...mixedPages > 0 ? [plural(mixedPages, 'mixed page')] : []
  ]
  return parts.length === 0 ? '' : `, with ${listing(parts)}`
}

/**
 * Returns how many ways without a lost request lose files of pages of the old build.
 * @param {ArmLosses[]} held
 */
const printGone = held => {
  const amount = held.filter(({ gone }) => gone > 0).length
  return amount === 0 ? '' : ` (${count(amount)} of ${count(held.length)} lose files)`
}

/** @param {number} share */
const printRate = share => {
  const value = share * PER
  return value >= 100 ? count(value) : String(Number(value.toPrecision(2)))
}

/** @param {ArmLosses['share']} share */
const printInterval = ({ share, low, high }) =>
  share === 0 ? printRate(high) : interval(printRate(low), printRate(high))

/**
 * Returns what the new build does wrong at SIGTERM, and lines that mend it.
 * @param {RunRollout} rollout
 * @returns {Block[]}
 */
function toAppBlocks ({ app }) {
  if (!app) return []
  const codes = app.faults.map(({ code }) => /** @type {AppFaultCode} */ (code))
  return [
    ...app.faults.length === 0 ? ['At SIGTERM the new build completes its requests, and ends in time.'] : [],
    ...app.faults.map(({ text }) => text),
    // A record names the framework only, so that a foreign record prints no lines of its own.
    ...listMendLines(app.framework ?? '', codes).flatMap(({ place, lines }) => lines.map((line, i) =>
      ({ label: '', sentence: i > 0 ? '' : `Lines for ${app.framework}, ${place}`, command: [line] })))
  ]
}

/**
 * @param {RunRollout} rollout
 * @returns {Section[]}
 */
function toSections (rollout) {
  const all = rollout.arms.map(countLosses)
  const chart = toChart(all)
  const causes = all.flatMap(({ arm, valid }) => explainLosses(valid).map(({ text }, i) =>
    ({ text: `${toName(arm)}: ${text}`, isBrief: i < MAX_CAUSES })))
  return [
    {
      id: 'rollout',
      title: 'Lost by clients',
      blocks: [...chart ? [chart] : [], toTable(all), ...listLimits(rollout, all)],
      brief: [toTable(all), ...listLimits(rollout, all)]
    },
    {
      id: 'losses',
      title: 'Causes of the losses, by their time and connection',
      blocks: [...causes.map(({ text }) => text), ...all.some(isListCut) ? [CUT] : []],
      brief: [...causes.filter(({ isBrief }) => isBrief).map(({ text }) => text), ...all.some(isListCut) ? [CUT] : []]
    },
    { id: 'app', title: 'The new build at SIGTERM', blocks: toAppBlocks(rollout), brief: true },
    { id: 'held', title: 'Connections that stay open', blocks: all.flatMap(toHeldSentences), brief: true },
    {
      id: 'ways',
      title: 'Ways to replace a build',
      blocks: [
        `old: ${rollout.old.label}`,
        `new: ${rollout.new.label}`,
        ...[...new Map(rollout.arms.map(arm => [arm.way, arm])).values()].map(({ way, title, usedBy, emulated }) =>
          `--way ${way}, ${title}, as of: ${usedBy}.${emulated === null ? '' : ` Emulated: ${emulated}.`}`),
        ...rollout.leftOut.map(({ way, why }) => `--way ${way} was left out: ${why.replace(/\.$/, '')}.`)
      ]
    }
  ]
}

/** Whether causes are known of the first losses of a rollout only. @param {ArmLosses} losses */
const isListCut = ({ valid }) => valid.some(result =>
  result.losses.length < countOutcomes(result, outcome => !isRight(outcome), () => true))

/**
 * @param {ArmLosses[]} all
 * @returns {Table<ArmLosses>}
 */
const toTable = all => ({
  rows: all,
  columns: [
    column('way', ({ arm }) => toName(arm), { left: true }),
    column('requests', ({ requests }) => count(requests)),
    column('lost', ({ lost }) => count(lost)),
    column('per 10,000', ({ share }) => share.share === 0
      ? `0 (up to ${printInterval(share)})`
      : `${printRate(share.share)} (${printInterval(share)})`),
    column({ text: 'gone', page: 'files gone' }, ({ gone, recovered }) => count(gone + recovered)),
    column({ text: 'mixed', page: 'mixed pages' }, ({ mixedPages }) => count(mixedPages)),
    column({ text: 'pause', page: 'longest pause' }, ({ pauseMs }) => pauseMs === null ? NONE : printMs(pauseMs)),
    column({ text: 'end', page: 'old process ended after' }, ({ endSeconds, killed }) =>
      `${duration(endSeconds)}${killed > 0 ? ' *' : ''}`)
  ],
  instead: ({ valid, failures, invalid }) => valid.length > 0
    ? null
    : failures[0] ?? `not measured: ${plural(invalid, 'rollout')} with late clients`
})

/**
 * Returns what the figures include, and what limits them.
 * @param {RunRollout} rollout
 * @param {ArmLosses[]} all
 */
function listLimits ({ files, rate }, all) {
  const measured = all.filter(({ valid }) => valid.length > 0)
  const least = Math.min(...measured.map(({ valid }) => valid.length))
  const repeated = Math.max(0, ...measured.map(({ repeated }) => repeated))
  return compact([
    files.old === 0
      ? 'The page of the old build requests no files.'
      : `Of ${plural(files.old, 'file')} of the old build the new one does not have ${count(files.gone)}.`,
    measured.some(({ share }) => share.isClustered) &&
      'Intervals (95 %) include the variation between rollouts, because a rollout loses many requests or none.',
    least === 1 && 'One rollout does not show the variation between rollouts, so intervals and bounds lack it.',
    least > 1 && measured.some(({ share }) => share.share === 0) &&
      `Bounds without a loss are over requests; a rare rollout with losses may be missing among ${count(least)}.`,
    measured.some(({ arm }) => arm.emulated !== null) && 'Parts of some ways are emulated: see "Ways" (--details).',
    repeated > 0 && `Up to ${plural(repeated, 'request')} of an arm came on a connection that the server had closed; ` +
      'clients sent them again, as browsers do, and they are not among the lost ones.',
    measured.some(({ killed }) => killed > 0) && '*: a process did not end in time, and was killed.',
    `Clients sent ${count(rate)} requests a second until 5 s after each replacement; the pause is the longest time ` +
      'without a right response until then.',
    ...measured.flatMap(({ arm, failures }) =>
      failures.map(why => `${toName(arm)}, failed rollout: ${why}`)),
    ...measured.flatMap(({ arm, invalid }) => invalid === 0
      ? []
      : [`${toName(arm)}: ${plural(invalid, 'rollout')} left out, because the clients were late.`])
  ])
}

/**
 * Reports how streams, WebSockets and idle connections ended.
 * @param {ArmLosses} losses
 */
function toHeldSentences ({ arm, valid }) {
  const held = /** @type {const} */ ([['stream', 'stream'], ['websocket', 'WebSocket'], ['idle', 'idle connection']])
  const parts = held.flatMap(([client, noun]) => {
    const counts = valid.flatMap(({ clients }) => clients).filter(found => found.client === client)
    const outcomes = new Map()
    for (const [outcome, n] of counts.flatMap(({ counts }) => Object.entries(counts))) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + n)
    }
    return [...outcomes].map(([outcome, n]) => `${plural(n, noun)} ${outcome === 'ok' ? 'kept' : outcome}`)
  })
  return parts.length === 0 ? [] : [`${toName(arm)}: ${listing(parts)}.`]
}

/**
 * @param {ArmLosses[]} all
 * @returns {ChartBlock | null} null: nothing to draw
 */
function toChart (all) {
  /** @type {Bar[]} */
  const bars = all.filter(({ valid }) => valid.length > 0).map(({ arm, share: { share, low, high } }) =>
    ({ name: toName(arm), value: share * PER, low: low * PER, high: high * PER }))
  const unit = `lost requests per ${count(PER)}`
  return bars.length === 0 ? null : { chart: 'bars', bars, unit, label: unit }
}

/**
 * Returns commands that show losses without hopbench.
 * @param {RunRollout} rollout
 * @returns {CommandBlock[]}
 */
function toEvidence (rollout) {
  const found = rollout.arms.map(countLosses).flatMap(({ valid }) => explainLosses(valid))
  const gone = found.find(({ example }) => example.outcome.startsWith('gone'))
  const lost = found.find(({ example }) => /^(status-5|refused|reset)/.test(example.outcome))
  const host = 'http://localhost:3000'
  return [
    ...gone
      ? [{
          label: 'Seen by an old page, after your rollout',
          sentence: 'Request a file of an old page after a rollout; 404, or a page, in its place is a loss:',
          command: ['curl', '-sI', shellWord(`${host}${gone.example.path}`)]
        }]
      : [],
    ...lost
      ? [{
          label: 'Seen during your rollout',
          sentence: 'Print the status of a request every 50 ms during a rollout; 000 states that none came:',
          command: ['while sleep 0.05; do', "curl -so /dev/null -w '%{http_code}\\n'",
            `${shellWord(`${host}${rollout.page}`)}; done`]
        }]
      : []
  ]
}
