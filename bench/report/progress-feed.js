/** Progress of a run as lines of JSON, for a program that follows it. */
import { attempt } from '../shared/attempt.js'

/** @import { BlockState, Plan, Progress, Sample } from '../types.js' */

/**
 * @typedef {{ event: 'start', run: string | null, plan: Plan, budget: number }
 *   | { event: 'stage', text: string }
 *   | { event: 'trial', sample: Sample }
 *   | { event: 'block', block: number, elapsed: number, budget: number, contrasts: BlockState['summary']['contrasts'] }
 *   | { event: 'end' }} FeedEvent
 */

/** Prefix of every line, because other programs may write to the same stream. */
export const FEED = 'hopbench-feed '

/** Writes the progress of a run as lines of JSON. @implements {Progress} */
export class ProgressFeed {
  /** @param {{ write: (text: string) => unknown }} stream */
  constructor (stream) {
    this.stream = stream
  }

  /**
   * @param {Plan} plan
   * @param {number} budget in seconds
   * @param {string} [run] name of its folder
   */
  start (plan, budget, run) {
    this.#write({ event: 'start', run: run ?? null, plan, budget })
  }

  /** @param {string} text */
  note (text) {
    this.#write({ event: 'stage', text })
  }

  /** @param {string} text */
  stage (text) {
    this.#write({ event: 'stage', text })
  }

  /** @param {Sample} sample */
  trial (sample) {
    this.#write({ event: 'trial', sample })
  }

  /** @param {BlockState} state */
  block ({ block, elapsed, budget, summary }) {
    const contrasts = summary.contrasts
      .map(({ arm, baseline, ratio, low, high }) => ({ arm, baseline, ratio, low, high }))
    this.#write({ event: 'block', block, elapsed, budget, contrasts })
  }

  end () {
    this.#write({ event: 'end' })
  }

  /** @param {FeedEvent} event */
  #write (event) {
    this.stream.write(`${FEED}${JSON.stringify(event)}\n`)
  }
}

/**
 * Reads a line of a feed.
 * @param {string} line
 * @returns {FeedEvent | null} null: output of another program, or a line that was cut off
 */
export const readFeed = line =>
  line.startsWith(FEED) ? attempt(() => JSON.parse(line.slice(FEED.length)), () => null) : null
