/** What a run is doing, while it does it. On a terminal one line is rewritten in place; elsewhere plain lines are
 * written, few enough for a log. @import { BlockState, Contrast, Plan, Progress, Sample } from '../types.js' */
import { duration, estimate, halfWidth, NONE, percent, plural } from '../shared/format.js'
import { plain, toAscii } from './wrap.js'

const LOG_EVERY = 10 // Seconds of measuring between two lines of a log.

/** @param {object} options
 * @param {{ write: (text: string) => unknown, columns?: number, isTTY?: boolean }} options.stream where everything
 * goes: standard error @param {boolean} [options.isTTY] left out: what the stream says
 * @param {number} [options.columns] where the stream does not know @param {boolean} [options.unicode]
 * @returns {Progress} */
export function createProgress ({ stream, isTTY = stream.isTTY ?? false, columns, unicode = true }) {
  const say = (/** @type {string} */ text) => unicode ? plain(text) : toAscii(plain(text))
  const print = isTTY ? inPlace(stream, () => stream.columns || columns || 80) : asLog(stream)
  let loggedAt = -Infinity
  return {
    start: (plan, seconds) => print.stays(say(headline(plan, seconds))),
    note: text => print.stays(say(text)),
    stage: text => print.passes(() => say(text)),
    block (state) {
      if (!isTTY && state.elapsed - loggedAt < LOG_EVERY) return
      loggedAt = state.elapsed
      print.passes(room => say(blockLine(state, room)))
    },
    end: () => print.clear()
  }
}

/** @typedef {object} Printer
 * @property {(text: string) => void} stays
 * @property {(line: (room: number) => string) => void} passes a line for so many columns
 * @property {() => void} clear */

/** @type {(stream: { write: (text: string) => unknown }) => Printer} */
const asLog = stream => ({
  stays: text => { stream.write(`${text}\n`) },
  passes: line => { stream.write(`${line(Infinity)}\n`) },
  clear () {}
})

/** @type {(stream: { write: (text: string) => unknown }, columns: () => number) => Printer} */
function inPlace (stream, columns) {
  const clear = '\r\x1b[2K'
  let current = ''
  // One column less than there are: a full line would make some terminals scroll.
  const fit = (/** @type {(room: number) => string} */ line) =>
    [...line(columns() - 1)].slice(0, columns() - 1).join('')
  return {
    stays: text => { stream.write(`${clear}${text}\n${current}`) },
    passes (line) {
      current = fit(line)
      stream.write(clear + current)
    },
    clear () {
      current = ''
      stream.write(clear)
    }
  }
}

/** @type {(plan: Plan, seconds: number) => string} */
const headline = ({ experiment, arms, contrasts }, seconds) =>
  `${experiment}: ${plural(arms.length, 'arm')}, ${plural(contrasts.length, 'contrast')}, ${duration(seconds)} at most`

/** As many estimates as there is room for, in the order of the plan.
 * @type {(state: BlockState, room: number) => string} */
function blockLine ({ block, elapsed, budget, summary: { contrasts } }, room) {
  const baselines = new Set(contrasts.map(({ baseline }) => baseline))
  const estimates = contrasts.map(contrast => {
    const width = halfWidth(contrast)
    const name = baselines.size > 1 ? `${contrast.arm}/${contrast.baseline}` : contrast.arm
    const { ratio } = estimate(contrast)
    // Of the first two starts it may be any number: more than the ratio itself says nothing.
    const known = width !== null && width <= 1
    return ratio === NONE ? `${name} ${NONE}` : `${name} ${ratio}${known ? ` ±${percent(width)}` : ''}`
  })
  const head = `block ${block + 1}, ${duration(elapsed)} of ${duration(budget)}`
  for (let shown = estimates.length; shown > 0; shown--) {
    const more = shown < estimates.length ? ` +${estimates.length - shown}` : ''
    const line = `${head}: ${estimates.slice(0, shown).join('; ')}${more}`
    if (line.length <= room) return line
  }
  return head
}
