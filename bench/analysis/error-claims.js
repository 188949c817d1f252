/** Claims about errors: which arms have them, what the error log says of them, and from how many connections on (pure).
 * No interval here: the question is whether errors are there, trial by trial. All conclusive trials must agree for a
 * claim to be confirmed, and all must speak against it for it to be refuted.
 * @import { Arm, ClaimTest, Plan, Sample } from '../types.js' */
import { JUDGED_FROM_TRIALS } from '../shared/thresholds.js'
import { showsErrors } from '../shared/trial.js'

/** @import { Judged } from './claims.js' */

/** @param {ClaimTest & { kind: 'errors' }} test @param {Sample[]} samples @returns {Judged} */
export const judgeErrors = (test, samples) => judgeTrials(test, samples, { outcome: errorsIn, what: 'errors' })

/** @param {ClaimTest & { kind: 'logged' }} test @param {Sample[]} samples @returns {Judged} */
export const judgeLogged = (test, samples) => judgeTrials(test, samples, {
  outcome: ({ seconds, errorLog = [] }) => seconds > 0 ? errorLog.some(({ text }) => text.includes(test.text)) : null,
  what: `"${test.text}" in the error log`
})

/** @param {{ in: string[], notIn: string[] }} arms @param {Sample[]} samples
 * @param {{ outcome: (sample: Sample) => boolean | null, what: string }} asked outcome: null where it is inconclusive
 * @returns {Judged} */
function judgeTrials ({ in: bad, notIn: good }, samples, { outcome, what }) {
  const seen = [...bad, ...good].map(name => {
    const trials = samples.filter(({ arm }) => arm === name).flatMap(sample => outcome(sample) ?? [])
    return { name, wanted: bad.includes(name), trials: trials.length, withIt: trials.filter(Boolean).length }
  })
  const measured = seen.map(({ name, trials, withIt }) => `${name}: ${withIt} of ${trials}`).join(', ') +
    ` trials with ${what}`
  const untold = seen.find(({ trials }) => trials === 0)
  if (untold) return { ...judged(measured, 'inconclusive'), why: `no trial of ${untold.name} decides` }
  const few = seen.find(({ trials }) => trials < JUDGED_FROM_TRIALS)
  if (few) {
    return {
      ...judged(measured, 'inconclusive'),
      why: `${few.trials} trials of ${few.name} decide, and it takes ${JUDGED_FROM_TRIALS}`
    }
  }
  const agrees = seen.map(({ wanted, trials, withIt }) => (wanted ? withIt : trials - withIt) / trials)
  const against = seen.find((_, i) => agrees[i] === 0)
  if (against) {
    return {
      ...judged(measured, 'refuted'),
      why: `${against.name} had ${what} in ${against.wanted ? 'none' : 'all'} of its trials`
    }
  }
  const open = seen.find((_, i) => agrees[i] < 1)
  if (open) return { ...judged(measured, 'inconclusive'), why: `${open.name} had ${what} in some of its trials only` }
  return { ...judged(measured, 'confirmed'), why: 'every trial agrees' }
}

/** @param {ClaimTest & { kind: 'first-error-at' }} test @param {Plan} plan @param {Sample[]} samples @returns {Judged}
 */
export function judgeFirstError ({ arm, connections }, plan, samples) {
  const steps = plan.arms.filter(({ ladder }) => ladder?.of === arm)
  if (steps.length === 0) {
    return {
      ...judged(null, 'not-testable'),
      why: `the protocol ${plan.protocol} does not step up the connections until errors come`
    }
  }
  const blocks = [...new Set(samples.map(({ block }) => block))]
  const found = blocks.map(block => firstError(steps, samples.filter(sample => sample.block === block))).filter(
    first => first !== 'untold'
  )
  if (found.length === 0) return { ...judged(null, 'inconclusive'), why: 'no block went all the way' }
  const words = [...new Set(found)].map(first =>
    `${said(first)} (${found.filter(other => other === first).length} of ${found.length} blocks)`
  )
  const agree = found.filter(first => first === connections).length
  const status = agree === found.length ? 'confirmed' : agree === 0 ? 'refuted' : 'inconclusive'
  return { ...judged(words.join(', '), status), why: `published: ${said(connections)}` }
}

/** @param {Arm[]} steps in rising order @param {Sample[]} samples of one block
 * @returns {number | null | 'untold'} connections; null: no errors at any step */
function firstError (steps, samples) {
  for (const { name, load } of steps) {
    const sample = samples.find(({ arm }) => arm === name)
    const errors = sample ? errorsIn(sample) : null
    if (errors === null) return 'untold'
    if (errors) return load.connections
  }
  return null
}

/** Trials that were not made show nothing, and nor does a series without errors that ended while its ports still filled
 * up; one in which a process ended speaks for itself. @param {Sample} sample @returns {boolean | null} */
function errorsIn (sample) {
  if (sample.invalid?.code === 'process-died') return true
  if (!(sample.seconds > 0)) return null
  // A user's connection that breaks is one too many; elsewhere a stray error is none.
  if (sample.users) return Object.values(sample.errors).some(count => count > 0)
  return showsErrors(sample) || (stillFilling(sample) ? null : false)
}

const GROWING = 1.05 // TIME_WAIT lasts for a minute: until all ports are in it, its sockets grow in number.

/** @param {Sample} sample */
function stillFilling ({ series = [] }) {
  const [middle, last] = [series[Math.floor(series.length / 2)], series.at(-1)].map(point => point?.timeWait ?? 0)
  return last > A_FEW_SOCKETS && last > GROWING * middle
}
const A_FEW_SOCKETS = 1000 // Those of a gate, and of connections that closed without an error.

/** @param {number | null} first */
const said = first =>
  first === null ? 'no errors at any step' : `errors from ${first.toLocaleString('en')} connections on`

/** @type {(measured: string | null, status: Judged['status']) => Judged} */
const judged = (measured, status) => ({ measured, low: null, high: null, status, why: '' })
