/** Child that plays a scenario. Its order is the first line of stdin. Each further line in either direction is a JSON
 * value: a question of the play to the suite (an action or a reading), its reply, and at the end the result. */
import { createInterface } from 'node:readline'
import { request } from '../scenario-client.js'
import { getErrorMessage } from '../../errors.js'
import { loadPlugin } from '../../plan/plugins.js'

/** @import { PlayContext, Scenario } from '../../types.js' */

/** @typedef {Pick<PlayContext, 'target' | 'options' | 'seed'> & { scenario: string, seconds: number }} Options */

/** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
const waiting = new Map()
let asked = 0
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const first = await lines.next()
/** @type {Options} */
const order = JSON.parse(first.value ?? '{}')
readReplies()
write(await playScenario(order).catch(error => ({ failed: getErrorMessage(error) })), () => process.exit(0))

/** @param {Options} order */
async function playScenario ({ scenario: name, seconds, target, options, seed }) {
  const { default: scenario } = /** @type {{ default: Scenario }} */ (await loadPlugin('scenario', name))
  if (scenario.needs(options).post) await rejectWithoutPost(target)
  return {
    result: await scenario.play({
      target,
      options,
      seed,
      act: action => ask({ act: action }),
      read: () => ask({ read: true }),
      signal: AbortSignal.timeout(seconds * 1000)
    })
  }
}

/** @param {PlayContext['target']} target */
async function rejectWithoutPost ({ origin, path, headers }) {
  const { outcome, status } = await request(origin, { path, headers, method: 'POST', body: 'hopbench' })
  if (outcome === 'ok') return
  throw new Error(`the scenario sends POST, and the app responds to POST ${path} with ${status ?? outcome}`)
}

/**
 * @param {object} question
 * @returns {Promise<any>}
 */
function ask (question) {
  const id = ++asked
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    write({ ask: id, ...question })
  })
}

async function readReplies () {
  for await (const line of { [Symbol.asyncIterator]: () => lines }) {
    const { ask: id, value, error } = JSON.parse(line)
    const { resolve, reject } = waiting.get(id) ?? {}
    waiting.delete(id)
    if (error === undefined) resolve?.(value)
    else reject?.(new Error(error))
  }
  // The suite has ended.
  process.exit(1)
}

/**
 * @param {object} value
 * @param {() => void} [written]
 */
function write (value, written) {
  process.stdout.write(`${JSON.stringify(value)}\n`, written)
}
