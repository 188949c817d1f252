/** Commands that print planned figures in place of measuring. */

/**
 * Stands in for hopbench: appends its words to a file, and prints a record whose arms have the rates of a table by
 * their options.
 */
export const FAKE = `
import { appendFileSync, readFileSync } from 'node:fs'
const plan = readFileSync(new URL('./plan.json', import.meta.url), 'utf8')
const { rates, log, fails, isTooMuch, heavy, workers } = JSON.parse(plan)
const [command, ...words] = process.argv.slice(2)
appendFileSync(log, [command, ...words].join(' ') + '\\n')
if (fails) {
  process.stderr.write('The gate refused the app.\\nTry: nothing.\\n')
  process.exit(1)
}
if (command === 'size' && isTooMuch) {
  process.stderr.write('No offering holds the rate.\\nTry: a lower rate.\\n')
  process.exit(1)
}
if (command === 'size') {
  const offering = { provider: 'Acme', name: 'One', vcpu: 1, memoryMiB: 512, currency: 'USD', egress: null }
  const instances = 2
  const row = {
    offering, topology: words[0], perInstance: 500, instances, monthly: 10, total: 12, workers: { workers }
  }
  const curve = [{ rate: 400, micros: { proxy: 0, server: 1000 } }]
  process.stdout.write(JSON.stringify({
    run: '2026-11-25T00-00-09Z-size', complete: true, sizing: { topologies: [{ spec: words[0], curve }], table: [row] }
  }))
  process.exit()
}
const names = words.slice(0, words.findIndex(spec => spec.startsWith('--')))
const toArm = name => ({
  name, spec: name, load: {}, bytesPerResponse: name.includes('gzip') ? 1000 : 5000,
  cpuMicrosPerRequest: { proxy: 0, server: 1000 / (rates[name] ?? 1), load: 0 }
})
const toContrast = arm => {
  const ratio = (rates[arm] ?? 1) / (rates[names[0]] ?? 1)
  if (heavy.includes(arm) && !words.includes('--connections')) {
    return { arm, baseline: names[0], ratio, low: ratio / 9, high: ratio * 3, level: 0.95, verdict: 'inconclusive' }
  }
  const verdict = ratio > 1 ? 'faster' : ratio < 1 ? 'slower' : 'no-difference'
  return { arm, baseline: names[0], ratio, low: ratio * 0.95, high: ratio * 1.05, level: 0.95, verdict, why: null }
}
const contrasts = names.slice(1).map(toContrast)
if (words.includes('--feed')) {
  for (const block of [0, 1]) {
    const changed = contrasts.map(found => ({ ...found, ratio: found.ratio + block }))
    process.stderr.write('hopbench-feed ' + JSON.stringify({ event: 'block', block, contrasts: changed }) + '\\n')
  }
}
const isHeavy = contrasts.some(({ verdict }) => verdict === 'inconclusive')
process.stdout.write(JSON.stringify({
  warnings: isHeavy ? [{ code: 'batches', params: { fewer: 10 } }] : [], contrasts,
  run: '2026-11-25T00-00-0' + names.length + 'Z-typed', unit: 'requests', complete: true, arms: names.map(toArm)
}))
`
