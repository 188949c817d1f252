/** Whether a capacity is found again, in how much time, and whether what is reckoned for a quota is what is measured under it. */
import { splitCores } from '../../bench/cores.js'
import { labFacts } from '../../bench/lab.js'
import { armOf } from '../../bench/request.js'
import { searchCapacity } from '../../bench/sizing/capacity.js'
import { capacityUnder } from '../../bench/sizing/cost.js'
import { emulationFacts } from '../../bench/sizing/emulation.js'
import { openSizingRig } from '../../bench/sizing/rig.js'
import { sizeTopology, trialAt, usagesOf } from '../../bench/sizing/size.js'
import { warmUp } from '../../bench/sizing/verify.js'
import { makeTempDir, makeTempRoot } from '../../bench/temp.js'
import { fixed, percent } from './measure.js'

const WORD = 'nginx:uds-keepalive/express-json'
const P99_MS = 50
const QUOTAS = [0.25, 0.5, 1]
const GOALS = { seconds: 180, again: 0.05, quota: 0.1 }

/** @type {import('./index.js').Part} */
export default {
  title: 'capacity: found again, in time, and under a quota as reckoned',
  async run (bench) {
    const arm = await armOf(WORD, { connections: 400 })
    const temp = makeTempRoot()
    bench.teardown(() => temp.remove())
    const { network } = await labFacts()
    const common = {
      p99Ms: P99_MS, quick: bench.short, lab: network === 'namespaces', cores: splitCores('split', 0.5), cwd: process.cwd(), note: () => {}, interrupted: () => false, now: () => performance.now() / 1000
    }
    const sized = []
    const lines = []
    for (let i = 0; i < (bench.short ? 1 : 2); i++) {
      const at = performance.now()
      sized.push(await sizeTopology(arm, { ...common, seed: i, temp: makeTempDir(temp.path, `s${i}`) }))
      const seconds = (performance.now() - at) / 1000
      const { rate, low, high } = sized[i].capacity
      bench.note(`${WORD}: ${Math.round(rate)} req/s (${Math.round(low)} to ${Math.round(high)}) in ${Math.round(seconds)} s, ${sized[i].trials.length} trials`)
      lines.push({ what: `search ${i + 1}`, measured: `${Math.round(rate)} req/s in ${Math.round(seconds)} s`, goal: `≤ ${GOALS.seconds} s`, met: seconds <= GOALS.seconds })
    }
    if (sized.length > 1) {
      const apart = Math.abs(Math.log(sized[1].capacity.rate / sized[0].capacity.rate))
      lines.push({ what: 'two searches apart', measured: percent(apart), goal: `≤ ${percent(GOALS.again)}`, met: apart <= GOALS.again })
    }
    const { version, why } = await emulationFacts()
    if (version === null) return [...lines, { what: 'quotas', measured: `cannot be set here: ${why}`, goal: 'not to be told here', met: true }]
    const last = sized[sized.length - 1]
    for (const cpu of bench.short ? QUOTAS.slice(0, 1) : QUOTAS) {
      const reckoned = capacityUnder(cpu, usagesOf(last.curve), last.capacity.rate).rate
      const rig = await openSizingRig(arm, { ...common, temp: makeTempDir(temp.path, `q${cpu * 100}`), limits: { cpu, memoryMiB: null } })
      try {
        await warmUp(rig, cpu, bench.short)
        const { rate } = await searchCapacity({ trial: trialAt(rig, { ...common, temp: temp.path, seed: 7, name: `${cpu} CPU`, seconds: bench.short ? 1.5 : 3 }), peak: reckoned, quick: bench.short })
        bench.note(`${cpu} CPU: reckoned ${Math.round(reckoned)}, measured ${Math.round(rate)} req/s`)
        lines.push({ what: `${cpu} CPU`, measured: `reckoned ${Math.round(reckoned)}, measured ${Math.round(rate)} req/s, ${fixed(reckoned / rate, 2)}`, goal: `within ${percent(GOALS.quota)}`, met: Math.abs(reckoned / rate - 1) <= GOALS.quota })
      } finally {
        await rig.close()
      }
    }
    return lines
  }
}
