/**
 * Cost of Express with and without setting the prototypes of every request and response, under several lines of Node
 * (docs/runtimes.md).
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { run } from '../../bench/machine/process.js'
import { findRuntime } from '../../bench/machine/setup/runtime.js'
import { runtimes } from '../../bench/plan/runtimes.js'
import { fixed, median } from './measure.js'

/** @import { Part } from './index.js' */

const server = fileURLToPath(new URL('../support/prototype-servers.js', import.meta.url))
const autocannon = fileURLToPath(new URL('../../node_modules/autocannon/autocannon.js', import.meta.url))
const LINES = ['node-20', 'node-22', 'node-24', 'node-26']
const KINDS = ['node:http', 'node:http, prototypes set', 'Express', 'Express, none to set']
const WARM_UP = 5000
/** Ratio of the costs with and without setting prototypes: above it under Node 20 and 22, below it under 24 and 26. */
const GOAL = 2

/**
 * @param {string} execPath
 * @param {string} kind
 * @param {number} requests
 * @returns {Promise<number>} CPU time per request, µs
 */
async function cost (execPath, kind, requests) {
  const child = fork(server, [kind], { execPath, env: { ...process.env, NODE_ENV: 'production' } })
  try {
    const [{ port }] = await once(child, 'message')
    const load = (/** @type {number} */ amount) => run([process.execPath, autocannon, '-c', '50', '-a', String(amount),
      '-n', `http://127.0.0.1:${port}/`], { timeoutSeconds: 120 })
    const used = async () => {
      child.send('used')
      const [{ user, system }] = await once(child, 'message')
      return user + system
    }
    await load(WARM_UP)
    const before = await used()
    await load(requests)
    return (await used() - before) / requests
  } finally {
    child.kill('SIGKILL')
  }
}

/** @type {Part} */
export default {
  title: 'prototypes that Express sets for every request',
  async run ({ short, printProgress }) {
    /** @type {Map<string, number[]>} */
    const costs = new Map()
    for (let round = 0; round < (short ? 1 : 7); round++) {
      for (const name of LINES) {
        const { program } = await findRuntime(name, runtimes[name])
        for (const kind of KINDS) {
          const key = `${kind}, ${name}`
          printProgress(`${round + 1}: ${key}`)
          costs.set(key, [...costs.get(key) ?? [], await cost(program, kind, short ? 5000 : 20_000)])
        }
      }
    }
    const of = (/** @type {string} */ kind, /** @type {string} */ name) => median(costs.get(`${kind}, ${name}`) ?? [])
    return LINES.map(name => {
      const ratio = of('Express', name) / of('Express, none to set', name)
      const slow = ['node-20', 'node-22'].includes(name)
      return {
        what: `${name}: Express ÷ Express with none to set`,
        measured: `${fixed(ratio, 2)}; µs: ${KINDS.map(kind => `${kind} ${fixed(of(kind, name), 1)}`).join(', ')}`,
        goal: slow ? `> ${GOAL}` : `< ${GOAL}`,
        met: slow ? ratio > GOAL : ratio < GOAL
      }
    })
  }
}
