/** Progress of a run as text: one line rewritten in place on a terminal, a few plain lines in a log. */
import { duration, estimate, halfWidth, isNumber, NONE, percent, plural } from '../shared/format.js'
import { toPlainLine } from './wrap.js'

/** @import { BlockState, Plan } from '../types.js' */

const LOG_EVERY = 30 // Seconds of measuring between two lines of a log, so that a run of 5 min has ten of them.
const LOG_ROOM = 160 // Letters of a line in a log.
const CLEAR_LINE = '\r\x1b[2K'
const DEFAULT_COLUMNS = 80
const WIDEST_PRINTED = 1 // Half-width of an interval above which it carries no information, as after two starts.

/** Prints the progress of a run. */
export class ProgressText {
  #stream
  #loggedAt = -Infinity
  /** Lines of a log, so that none is repeated. @type {Set<string>} */
  #logged = new Set()
  /** First words of the last stage. */
  #stageKind = ''
  /** Line that is rewritten in place. */
  #current = ''

  /** @param {{ write: (text: string) => unknown, columns?: number, isTTY?: boolean }} stream */
  constructor (stream) {
    this.#stream = stream
  }

  /**
   * @param {Plan} plan
   * @param {number} seconds budget
   */
  start ({ experiment, arms, contrasts, openLoop }, seconds) {
    const after = openLoop ? `, then about ${duration(openLoop.seconds)} at ${openLoop.rate} req/s` : ''
    this.note(`${experiment}: ${plural(arms.length, 'arm')}, ${plural(contrasts.length, 'contrast')}, ` +
      `${duration(seconds)} at most${after}`)
  }

  /**
   * Prints a line that stays.
   * @param {string} text
   */
  note (text) {
    const line = `${toPlainLine(text)}\n`
    this.#stream.write(this.#stream.isTTY ? `${CLEAR_LINE}${line}${this.#current}` : line)
  }

  /**
   * Prints a line that the next one replaces.
   * @param {string} text
   */
  stage (text) {
    const line = toPlainLine(text)
    if (!this.#stream.isTTY) {
      if (this.#isNews(line)) this.#stream.write(`${line}\n`)
      return
    }
    this.#current = [...line].slice(0, this.#room()).join('')
    this.#stream.write(CLEAR_LINE + this.#current)
  }

  /** @param {BlockState} state */
  block (state) {
    if (!this.#stream.isTTY && state.elapsed - this.#loggedAt < LOG_EVERY) return
    this.#loggedAt = state.elapsed
    if (this.#stream.isTTY) this.stage(blockLine(state, this.#room()))
    else this.#stream.write(`${toPlainLine(blockLine(state, LOG_ROOM))}\n`)
  }

  end () {
    if (!this.#stream.isTTY) return
    this.#current = ''
    this.#stream.write(CLEAR_LINE)
  }

  /**
   * Returns whether a log needs a line. Further arms of a stage that has just begun, and stages of later blocks, which
   * the lines of blocks cover, are left out.
   * @param {string} line
   */
  #isNews (line) {
    const kind = line.split(' ', 2).join(' ')
    const isNew = kind !== this.#stageKind && !this.#logged.has(line)
    this.#stageKind = kind
    this.#logged.add(line)
    return isNew
  }

  /** Letters in one line. Leaves one column free, because a full line makes some terminals scroll. */
  #room () {
    return (this.#stream.columns || DEFAULT_COLUMNS) - 1
  }
}

/**
 * Returns the line of a block, with as many estimates as fit: first the open ones, then the decided ones with a mark.
 * @param {BlockState} state
 * @param {number} room letters
 */
function blockLine ({ block, elapsed, budget, summary: { contrasts } }, room) {
  const decided = contrasts.map(({ decidedAtBlock }) => isNumber(decidedAtBlock))
  const hasOneBaseline = new Set(contrasts.map(({ baseline }) => baseline)).size <= 1
  const toText = (/** @type {number} */ at) => {
    const contrast = contrasts[at]
    const name = hasOneBaseline ? contrast.arm : `${contrast.arm}/${contrast.baseline}`
    const { ratio } = estimate(contrast)
    if (decided[at]) return `${name} ${ratio} ✓`
    const width = halfWidth(contrast)
    const isPrecise = ratio !== NONE && width !== null && width <= WIDEST_PRINTED
    return `${name} ${ratio}${isPrecise ? ` ±${percent(width)}` : ''}`
  }
  const all = [...contrasts.keys()]
  const estimates = [...all.filter(at => !decided[at]), ...all.filter(at => decided[at])].map(toText)
  const amount = decided.filter(Boolean).length
  const progress = amount > 0 ? `, ${amount} of ${contrasts.length} decided` : ''
  const head = `block ${block + 1}, ${duration(elapsed)} of ${duration(budget)}${progress}`
  for (let shown = estimates.length; shown > 0; shown--) {
    const more = shown < estimates.length ? ` +${estimates.length - shown}` : ''
    const line = `${head}: ${estimates.slice(0, shown).join('; ')}${more}`
    if (line.length <= room) return line
  }
  return head
}
