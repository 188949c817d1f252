/** Detection of a server with 5 % more CPU time per request than another one. */
import { basename, join } from 'node:path'
import { writePlanted } from '../../bench/studies/selftest/planted.js'
import { copyOfProject } from '../support/project.js'
import { fixed, measured } from './measure.js'

/** @import { Part } from './index.js' */

const MORE = 0.05

/** @type {Part} */
export default {
  title: 'a planted difference of 5 % of CPU time per request',
  async run (bench) {
    const from = copyOfProject(bench)
    const { record: pilot } = await measured(bench, ['express-json', '--quick', '--budget',
      bench.short ? '12s' : '30s'], { from })
    const micros = pilot.arms[0].cpuMicrosPerRequest.server
    const slower = basename(writePlanted(join(from, 'servers'), 'more-5', micros * MORE), '.js')
    bench.note(`${fixed(micros * MORE)} µs more than ${fixed(micros, 1)} µs`)
    const { record } = await measured(bench, ['express-json', slower, '--budget', bench.short ? '15s' : '120s'], {
      from
    })
    const [{ ratio, low, high, verdict, blocks }] = record.contrasts
    const shown = [low, ratio, high].map(value => value === null ? '?' : fixed(value, 3)).join(' < ')
    return [{
      what: `its ratio, ${blocks} blocks`,
      measured: `${verdict}, ${shown}`,
      goal: 'slower',
      met: verdict === 'slower'
    }]
  }
}
