import fc from 'fast-check'
import t from '../support/tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { count, seconds, seed, share } from '../../bench/request/option-values.js'
import { parse, print } from '../../bench/plan/spec.js'
import { CASES, SEED } from '../support/fuzz-cases.js'
import { resultOrKnown, spec } from '../support/fuzz-words.js'

t.test('parses any text as a topology or rejects it with an error, and reparses what it prints', async t => {
  fc.assert(fc.property(spec, text => {
    const topology = resultOrKnown(() => parse(text))
    if (topology instanceof HopbenchError) {
      return ['bad-topology', 'bad-option'].includes(topology.code) && topology.exit === 2
    }
    const printed = print(/** @type {any} */ (topology))
    return JSON.stringify(parse(printed)) === JSON.stringify(topology) && print(parse(printed)) === printed
  }), { numRuns: CASES.words, seed: SEED })
  t.pass(`${CASES.words} words`)
})

t.test('parses any text as a value in its range or rejects it with an error', async t => {
  const text = fc.oneof(fc.string({ maxLength: 12 }),
    fc.tuple(fc.double(), fc.constantFrom('', 's', 'm', 'h', 'ms', '%', 'KB', ' s')).map(([number, unit]) =>
      `${number}${unit}`
    ), fc.integer().map(String))
  const readers = /** @type {[(text: string) => number, (value: number) => boolean][]} */ ([
    [seconds('--budget'), value => value > 0],
    [share('--precision'), value => value > 0 && value < 1],
    [count('--connections', 1000), value => Number.isInteger(value) && value > 0 && value <= 1000],
    [seed('--seed'), value => Number.isInteger(value) && value >= 0 && value < 2 ** 32]
  ])
  fc.assert(fc.property(text, fc.constantFrom(...readers), (text, [read, isRight]) => {
    const value = resultOrKnown(() => read(text))
    if (value instanceof HopbenchError) return value.code === 'bad-option'
    return Number.isFinite(value) && isRight(Number(value))
  }), { numRuns: CASES.values, seed: SEED })
  t.pass(`${CASES.values} values`)
})
