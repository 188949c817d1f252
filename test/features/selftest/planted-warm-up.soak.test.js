/**
 * A run with a known answer: two servers of equal steady cost, one of which takes longer to warm up, and a planted
 * difference. Equal servers cannot show a warm-up that ends too early, because it has the same effect on both.
 */
import { relative } from 'node:path'
import t from '../../support/tap.js'
import { splitCores } from '../../../bench/machine/cores.js'
import { labFacts } from '../../../bench/machine/network/lab.js'
import { makeTempDir } from '../../../bench/machine/files/temp.js'
import { calibrate } from '../../../bench/features/selftest/study.js'
import { EARLY_MORE, writePlanted } from '../../../bench/features/selftest/planted.js'
import { hopbench, makeWorkspace } from '../../support/cli.js'

/** @import { Contrast } from '../../../bench/types.js' */

/** Enough to be found on a busy machine; `hopbench selftest` finds 5 and 10 %. */
const MORE = 1
/** Between the ratio of servers whose early requests count, 1 / (1 + EARLY_MORE), and 1. */
const MIN_RATIO = 0.82
const PILOT = { blocks: 8, starts: 1, seed: 1 }
const BUDGET = '180s'

t.test('finds servers equal that differ in their first 100,000 requests, and a steady difference', async t => {
  const workspace = makeWorkspace(t)
  const { dir } = workspace
  const name = (/** @type {string} */ file) => `./${relative(dir, file)}`
  const { network } = await labFacts()
  const { microsPerShare } = await calibrate({
    temp: makeTempDir(dir, 'c'),
    keepIn: makeTempDir(dir, 'k'),
    lab: network === 'namespaces',
    cores: splitCores(),
    cwd: dir,
    printProgress: () => {}
  }, { ...PILOT, dir, name })
  const words = [
    writePlanted(dir, 'equal', 0),
    writePlanted(dir, 'late', 0, EARLY_MORE * microsPerShare),
    writePlanted(dir, 'more', MORE * microsPerShare)
  ].map(name)
  const { exit, stdout, stderr } = await hopbench(
    ['run', ...words, '--budget', BUDGET, '--precision', '8%', '--results', workspace.results, '--json'],
    { workspace, timeoutSeconds: 400 }
  )
  if (!t.equal(exit, 0)) return t.comment(stderr)
  /** @type {Contrast[]} */
  const contrasts = JSON.parse(stdout).contrasts
  const [late, more] = ['./late.js', './more.js'].map(arm => contrasts.find(contrast => contrast.arm === arm))
  if (!late || !more) return t.fail(`contrasts: ${stdout}`)
  const print = ({ ratio, low, high, verdict } = late) => `${ratio} (${low} to ${high}), ${verdict}`
  t.ok(['no-difference', 'inconclusive'].includes(late.verdict), `equal after the warm-up: ${print(late)}`)
  t.ok(late.low > MIN_RATIO, `early requests have no effect: ${print(late)}`)
  t.equal(more.verdict, 'slower', `twice the cost: ${print(more)}`)
})
