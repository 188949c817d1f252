/** Limits of open files that are too low, from the start of a command to a run that exceeds its limit. */
import t from '../support/tap.js'
import { failsWell, hopbench, leavesNothing, makeWorkspace, samplesIn } from '../support/cli.js'

/** @param {number} limit */
const withLimit = limit => ['sh', '-c', `ulimit -n ${limit} && exec "$@"`, 'sh']

for (const limit of [64, 255]) {
  t.test(`every command names the limit that it needs where ${limit} files may be open`, async t => {
    for (const args of [['run', 'http-json', '--smoke'], ['size', 'http-json', '--for', '10'], ['report'], ['all']]) {
      const workspace = makeWorkspace(t)
      const result = await hopbench([...args, '--results', workspace.results], { workspace, via: withLimit(limit) })
      const message = new RegExp(`limit of a process is ${limit}, .* at least 256`)
      await failsWell(t, result, { workspace, exit: 1, message })
      t.match(result.stderr, /\[too-few-files\]$/m)
    }
  })
}

t.test('measures where 256 files may be open', async t => {
  const workspace = makeWorkspace(t)
  const { exit, stderr } = await hopbench(
    ['run', 'http-json', '--connections', '10', '--smoke', '--results', workspace.results],
    { workspace, via: withLimit(256) })
  t.equal(exit, 0, stderr)
  t.ok(samplesIn(workspace).length > 0)
  await leavesNothing(t, workspace)
})

t.test('a run with more threads than files may be open ends with the error of the limit', async t => {
  const workspace = makeWorkspace(t)
  // A process of Node has 11 threads, and the CPU time of each is read from an open file.
  const result = await hopbench(
    ['run', 'http-json@cluster:30', '--connections', '1', '--smoke', '--results', workspace.results],
    { workspace, via: withLimit(256) })
  await failsWell(t, result, { workspace, exit: 1, message: /No more files can be opened here/ })
  t.match(result.stderr, /\[too-few-files\]$/m)
})
