/** A tmpfs at /dev/shm that is full, fills up, or has no room for another file. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { failsWell, hopbench, leavesNothing, makeWorkspace, recordIn } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

/** @import { Test } from 'tap' */

const skip = skipWithout('namespaces', 'mounts', 'varnish')

/**
 * Measures Varnish, which keeps its counters in /dev/shm, with a tmpfs of its own there.
 * @param {Test} t
 * @param {{ options: string, fill: string }} tmpfs options: of the mount; fill: shell commands, run before the suite
 */
async function measureWith (t, { options, fill }) {
  const workspace = makeWorkspace(t)
  const script = join(workspace.dir, 'shm.sh')
  writeFileSync(script, `
mount -t tmpfs -o ${options} none /dev/shm || exit 99
${fill}
"$@"
code=$?
# Deletes all files, so that only those of hopbench remain.
rm -f /dev/shm/filler
ls -A /dev/shm > '${workspace.dir}/left'
exit $code
`)
  const result = await hopbench(['run', 'varnish:uds/http-json', '--smoke', '--results', workspace.results],
    { workspace, via: ['unshare', '-Urm', 'sh', script] })
  return { workspace, result }
}

const FILL = 'cat /dev/zero > /dev/shm/filler 2> /dev/null'

t.test('uses the temporary folder when /dev/shm is full', { skip }, async t => {
  const { workspace, result } = await measureWith(t, { options: 'size=64m', fill: FILL })
  t.equal(result.exit, 0, `${result.stdout}${result.stderr}`)
  t.match(recordIn(workspace), { complete: true, arms: [{ invalid: null }] })
  await leavesNothing(t, workspace)
})

t.test('uses the temporary folder, and leaves no folder, when /dev/shm has no room for another file', {
  skip
}, async t => {
  // The root of the tmpfs and one folder.
  const { workspace, result } = await measureWith(t, { options: 'size=64m,nr_inodes=2', fill: '' })
  t.equal(result.exit, 0, `${result.stdout}${result.stderr}`)
  t.equal(readFileSync(join(workspace.dir, 'left'), 'utf8'), '')
  await leavesNothing(t, workspace)
})

t.test('reports a full disk when /dev/shm fills up before the proxy has started', { skip }, async t => {
  const fill = `(until ls -d /dev/shm/hopbench-*/m-* > /dev/null 2>&1; do :; done; ${FILL}) &`
  const { workspace, result } = await measureWith(t, { options: 'size=33m', fill })
  await failsWell(t, result, { workspace, exit: 1, message: /There is no space left to write .*\/dev\/shm\// })
  t.match(result.stderr, /\[disk-full\]$/m)
})
