/**
 * `npm run perf`: measures the figures that the documentation quotes, as ratios and shares on this machine. `npm test`
 * does not run it, because a busy machine misses goals that the code meets.
 *
 *   npm run perf                  all parts, several hours
 *   npm run perf -- h i           some of the parts
 *   npm run perf -- h --short     a trial with few repetitions and imprecise figures
 *   npm run perf -- q --keep results/reference/quotas.json      stores the measurements of q
 *   npm run perf -- o --keep /tmp/held-out.json --minutes 20    measures a part; a later call continues
 */
import { parseArgs } from 'node:util'
import advised from './advised.js'
import capacity from './capacity.js'
import gang from './gang.js'
import http3 from './http3.js'
import openLoop from './open-loop.js'
import prototypes from './prototypes.js'
import quotas, { heldOut } from './quotas.js'

/** @import { Scope } from '../support/cli.js' */

/**
 * @typedef {object} Line
 * @property {string} what
 * @property {string} measured
 * @property {string} goal
 * @property {boolean} met
 */
/**
 * @typedef {object} Bench
 * @property {boolean} short
 * @property {string} [keep] file for the measurements
 * @property {number} [minutes] time after which no further measurement begins, where a part can continue
 * @property {(text: string) => void} printProgress progress
 * @property {Scope['teardown']} teardown
 */
/** @typedef {{ title: string, run: (bench: Bench) => Promise<Line[]> }} Part */

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/** @type {Record<string, Part>} */
const parts = {
  h: openLoop,
  i: capacity,
  l: gang,
  o: heldOut,
  p: prototypes,
  q: quotas,
  v: http3,
  w: advised
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code: 1 when a goal is not met
 */
export async function main (args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { short: { type: 'boolean', default: false }, keep: { type: 'string' }, minutes: { type: 'string' } }
  })
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
  if (minutes !== undefined && !(minutes > 0)) {
    process.stderr.write(`--minutes is a number above 0, not ${values.minutes}.\n`)
    return 2
  }
  const unknown = positionals.filter(name => !(name in parts))
  if (unknown.length > 0) {
    process.stderr.write(
      `There is no part ${unknown.join(', ')}.\nTry: one or more ` +
      `of\n${Object.entries(parts).map(([name, { title }]) => `  ${name}  ${title}\n`).join('')}`
    )
    return 2
  }
  let missed = 0
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
    process.stdout.write(`${name}  ${parts[name].title}\n`)
    for (const line of await runPart(parts[name], { ...values, minutes })) {
      process.stdout.write(
        `   ${line.met ? 'met    ' : 'NOT MET'}  ${line.what}: ${line.measured} (goal: ${line.goal})\n`
      )
      if (!line.met) missed++
    }
  }
  return missed > 0 ? 1 : 0
}

/**
 * @param {Part} part
 * @param {Pick<Bench, 'short' | 'keep' | 'minutes'>} options
 */
async function runPart (part, { short, keep, minutes }) {
  /** @type {(() => unknown)[]} */
  const undo = []
  // Turns signals into an exit, because an exit kills all started process groups, also the paused ones.
  let signals = 0
  const interrupt = async () => {
    if (signals++ === 0) for (const step of undo.reverse()) await Promise.resolve(step()).catch(() => {})
    process.exit(130)
  }
  for (const signal of SIGNALS) process.on(signal, interrupt)
  try {
    return await part.run({
      short,
      keep,
      minutes,
      printProgress: text => process.stderr.write(`   ${text}\n`),
      teardown: step =>
        undo.push(step)
    })
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
    for (const step of undo.reverse()) await step()
  }
}
