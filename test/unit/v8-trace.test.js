import t from '../support/tap.js'
import { effectOf, eventsOf, setApart, unlike } from '../support/v8-trace.js'

const LOG = `
[marking 0x11e <JSFunction f (sfi = 0x2f)> for optimization to TURBOFAN, ConcurrencyMode::kConcurrent, reason: small]
[completed optimizing 0x11e217bc9cd9 <JSFunction f (sfi = 0x2faac17eb1c9)> (target TURBOFAN)]
[completed optimizing 0x2faac17eb811 <JSFunction (sfi = 0x2faac17eb109)> (target TURBOFAN) OSR]
[bailout (kind: deopt-eager, reason: wrong map): begin. deoptimizing 0x24 <JSFunction f (sfi = 0x2f)>, 0x2 <Code>]
[bailout (kind: deopt-lazy, reason: (unknown)): begin. deoptimizing 0x24, <JSFunction g (sfi = 0x2f)>, opt id 0]
`

t.test('reads optimizations and deoptimizations with their reasons', async t => {
  t.strictSame(eventsOf(LOG), ['optimized f', 'replaced on the stack (anonymous)',
    'thrown away f: deopt-eager, wrong map', 'thrown away g: deopt-lazy, (unknown)'])
})

/**
 * Returns the cost of each block of a start, with periodically slow blocks and some noise.
 * @param {(block: number) => number} factor
 */
const start = (factor, phase = 0) => Array.from({ length: 12 }, (_, block) =>
  100 * factor(block) * (block % 5 === 0 ? 1.3 : 1) * (1 + 0.01 * Math.sin(phase + 7 * block)))

t.test('finds a start that costs more and one whose cost changes', async t => {
  const costs = [...[0, 1, 2, 3, 4].map(phase => start(() => 1, phase)), start(() => 1.4, 5),
    start(block => block < 7 ? 1 : 1.5, 6)]
  const { apart, changed, factors } = setApart(costs)
  t.ok(apart.includes(5))
  t.ok(Math.abs(factors[5] - 1.4) < 0.05)
  t.match(changed, [{ start: 6, at: 7 }])
  t.ok(Math.abs(changed[0].factor - 1.5) < 0.1)
  const few = setApart(costs.slice(0, 5))
  t.strictSame([few.apart, few.changed], [[], []])
})

t.test('finds events that only one start has or lacks', async t => {
  const usual = ['optimized a', 'optimized b']
  t.strictSame(unlike([usual, usual, ['optimized a', 'thrown away a: x'], usual, usual], 2),
    { only: ['thrown away a: x'], missing: ['optimized b'] })
})

t.test('estimates the effect of a setting with its standard error', async t => {
  const { change, error } = effectOf([1.1, 1.12, 1, 1.02], [true, true, false, false])
  t.ok(Math.abs(change - 0.095) < 0.005 && error > 0.01 && error < 0.02)
})
