/** A server that is another one with 5 % more CPU time per request, dropped into servers/: is it found? */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyOfProject } from '../support/project.js'
import { fixed, measured } from './measure.js'

const MORE = 0.05

/** @param {number} micros of every request */
const server = micros => `
import original, { about as originals } from './express-json.js'

export const about = { ...originals, title: 'Express, 1 KB of JSON, and some work' }

export default async context => {
  const app = await original(context)
  return (req, res) => {
    const until = process.hrtime.bigint() + ${Math.round(micros * 1000)}n
    while (process.hrtime.bigint() < until);
    app(req, res)
  }
}
`

/** @type {import('./index.js').Part} */
export default {
  title: 'a planted difference of 5 % of CPU time per request',
  async run (bench) {
    const from = copyOfProject(bench)
    const { record: pilot } = await measured(bench, ['express-json', '--quick', '--budget', bench.short ? '12s' : '30s'], { from })
    const micros = pilot.arms[0].cpuMicrosPerRequest.server
    writeFileSync(join(from, 'servers/slower.js'), server(micros * MORE))
    bench.note(`${fixed(micros * MORE)} µs more than ${fixed(micros, 1)} µs`)
    const { record } = await measured(bench, ['express-json', 'slower', '--budget', bench.short ? '15s' : '120s'], { from })
    const [{ ratio, low, high, verdict, blocks }] = record.contrasts
    const told = [low, ratio, high].map(value => value === null ? '?' : fixed(value, 3)).join(' < ')
    return [{ what: `its ratio, ${blocks} blocks`, measured: `${verdict}, ${told}`, goal: 'slower', met: verdict === 'slower' }]
  }
}
