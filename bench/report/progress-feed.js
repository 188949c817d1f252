/** What a run is doing, as lines of JSON for a program that follows it.
 * @import { BlockState, Plan, Progress, Sample } from '../types.js' */

/** @typedef {{ event: 'start', run: string | null, plan: Plan, budget: number } | { event: 'stage', text: string } | {
 *   event: 'trial', sample: Sample }
 *   | { event: 'block', block: number, elapsed: number, budget: number, contrasts: BlockState['summary']['contrasts']
 *   } | { event: 'end' }} FeedEvent */

/** What every line begins with: other programs may write to the same stream. */
export const FEED = 'hopbench-feed '

/** @param {{ write: (text: string) => unknown }} stream @returns {Progress} */
export function createFeed (stream) {
  const say = (/** @type {FeedEvent} */ event) => { stream.write(`${FEED}${JSON.stringify(event)}\n`) }
  return {
    start: (plan, budget, run = undefined) => say({ event: 'start', run: run ?? null, plan, budget }),
    note: text => say({ event: 'stage', text }),
    stage: text => say({ event: 'stage', text }),
    trial: sample => say({ event: 'trial', sample }),
    block: ({ block, elapsed, budget, summary }) =>
      say({
        event: 'block',
        block,
        elapsed,
        budget,
        contrasts: summary.contrasts.map(({ arm, baseline, ratio, low, high }) => ({
          arm,
          baseline,
          ratio,
          low,
          high
        })
        )
      }),
    end: () => say({ event: 'end' })
  }
}

/** @param {string} line @returns {FeedEvent | null} null: it is something else, or was cut off */
export function readFeed (line) {
  if (!line.startsWith(FEED)) return null
  try {
    return JSON.parse(line.slice(FEED.length))
  } catch {
    return null
  }
}
