/** An app that the kernel kills for memory. Runs alone: it failed beside other test files, and never alone. */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { openEmulation } from '../../../bench/features/size/capacity/emulation.js'
import { begin, leavesNothing, makeWorkspace, recordIn, samplesIn } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'

/** @import { Workspace } from '../../support/cli.js' */

const APP = 'export default (req, res) => { res.setHeader("Content-Type", "text/plain"); res.end("here I am") }\n'

/**
 * Returns the codes and messages of invalid trials.
 * @param {Workspace} workspace
 */
const reasonsIn = workspace => samplesIn(workspace).flatMap(({ arm, invalid }) =>
  invalid ? [`${arm}: ${invalid.code} ${invalid.params.message ?? invalid.params.workers}`] : [])

/** Enough for the suite, two servers and two load generators. */
const MEMORY_MIB = 1500
/** Memory that the app takes in each twentieth of a second once the file exists. */
const GREEDY_APP = (/** @type {string} */ file) => `
import { existsSync, writeFileSync } from 'node:fs'
// The kernel kills this process before the suite, which is in the same control group.
writeFileSync('/proc/self/oom_score_adj', '1000')
const taken = []
setInterval(() => { if (existsSync(${JSON.stringify(file)})) taken.push(Buffer.alloc(50 * 2 ** 20, 1)) }, 50)
${APP}`

t.test('an app that the kernel kills for memory invalidates its arm, and earlier samples are kept', {
  skip: skipWithout('limits')
}, async t => {
  const workspace = makeWorkspace(t)
  const flag = join(workspace.dir, 'greedy')
  writeFileSync(join(workspace.dir, 'app.mjs'), GREEDY_APP(flag))
  const limits = openEmulation({ cpu: availableParallelism(), memoryMiB: MEMORY_MIB })
  t.teardown(() => limits.close())
  const call = begin(t, ['run', 'http-json', './app.mjs', '--warm-up', '1s', '--precision', '0.01%', '--budget', '60s',
    '--results', workspace.results], { workspace, via: limits.enter })
  await call.until(() => samplesIn(workspace).length > 0)
  const before = samplesIn(workspace)
  writeFileSync(flag, '')
  t.match(await call.child.exited, { code: 1 })
  t.ok(limits.stats().oomKills > 0, 'killed by the kernel')
  t.ok(reasonsIn(workspace).some(text => /process-died the server of \.\/app\.mjs was ended by SIGKILL/.test(text))) ||
    t.comment(reasonsIn(workspace), limits.stats(), call.stderr().slice(-1500), call.stdout().slice(-500))
  t.strictSame(samplesIn(workspace).slice(0, before.length), before, 'earlier samples are kept')
  t.match(recordIn(workspace), { ended: 'failed' })
  await leavesNothing(t, workspace)
})
