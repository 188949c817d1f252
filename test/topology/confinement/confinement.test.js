import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { flagsAt, mountsBelow, mountsIn } from '../../../bench/topology/confinement/mounts.js'
import { confine, confinementScript } from '../../../bench/topology/confinement/confinement.js'
import { findWarnings } from '../../../bench/judge/warnings.js'
import { toChain } from '../../../bench/report/page/view.js'
import { makeArm, makeRecord } from '../../support/record.js'

/** @import { Test } from 'tap' */
/** @import { ConfinedBy, RunRecord } from '../../../bench/types.js' */

const mountinfo = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw
30 22 0:5 / /tmp rw,nosuid,nodev,noexec,relatime - tmpfs tmpfs rw
31 22 0:6 / /srv/my\\040files rw,nodev - ext4 /dev/sdb rw
32 31 0:7 / /srv/my\\040files/more rw - ext4 /dev/sdc rw
33 22 0:8 / /srv/mypages rw,nosuid - ext4 /dev/sdd rw
`
const mounts = mountsIn(mountinfo)

/**
 * @param {string} path
 * @param {boolean} [isFolder]
 */
const shown = (path, isFolder = false) => ({ path, source: path, isFolder })

/** @param {Partial<Parameters<typeof confinementScript>[0]>} options */
const linesOf = options =>
  confinementScript({
    at: '/tmp/t/0.root',
    readonly: [],
    writable: [],
    cwd: '/tmp/t/0',
    user: 1000,
    mounts,
    ...options
  }).split('\n')

t.test('reads mount points with spaces and their flags', async t => {
  t.strictSame(mounts.map(({ at }) => at), ['/', '/tmp', '/srv/my files', '/srv/my files/more', '/srv/mypages'])
  t.strictSame(flagsAt('/tmp/t', mounts), ['nosuid', 'nodev', 'noexec'])
  t.strictSame(flagsAt('/srv/mypages/a', mounts), ['nosuid'], 'a common prefix of a name is not a parent folder')
  t.strictSame(flagsAt('/usr/bin/node', mounts), [])
  t.strictSame(mountsBelow('/srv/my files', mounts), [{ at: '/srv/my files/more', flags: [] }])
})

t.test('mounts files and folders read-only with their original flags', async t => {
  const lines = linesOf({ readonly: [shown('/usr/bin/node'), shown('/srv/my files', true)] })
  t.ok(lines.includes('mount --bind -o ro \'/usr/bin/node\' \'/tmp/t/0.root/usr/bin/node\''))
  t.ok(lines.includes('mount --rbind -o ro,nodev \'/srv/my files\' \'/tmp/t/0.root/srv/my files\''))
  t.ok(lines.includes('mount -o remount,bind,ro \'/tmp/t/0.root/srv/my files/more\''),
    'mounts below the folder are read-only, too')
})

t.test('mounts writable folders last, so that a read-only parent does not cover them', async t => {
  const lines = linesOf({ readonly: [shown('/tmp', true)], writable: [shown('/tmp/t/0', true)] })
  const [around, inside] = ["mount --rbind -o ro,nosuid,nodev,noexec '/tmp' '/tmp/t/0.root/tmp'",
    "mount --rbind '/tmp/t/0' '/tmp/t/0.root/tmp/t/0'"].map(line => lines.indexOf(line))
  t.ok(around > 0 && inside > around, lines.join('\n'))
})

t.test('mounts a path once when its folder is mounted', async t => {
  const lines = linesOf({
    readonly: [shown('/app/servers', true), shown('/app/servers/st.js'), shown('/app/servers', true),
      shown('/app/servers-too', true)]
  })
  t.strictSame(lines.filter(line => line.includes('/app/')).filter(line => line.startsWith('mount')).length, 2)
})

t.test('quotes paths for the shell', async t => {
  const line = linesOf({ at: '/tmp/it\'s; rm -rf x' }).find(line => line.startsWith('mount -t'))
  t.match(line, /'\/tmp\/it'\\''s; rm -rf x'$/)
})

t.test('enters a read-only root without capabilities', async t => {
  t.strictSame(linesOf({}).slice(-3), [
    'mount -o remount,bind,ro,nosuid,nodev \'/tmp/t/0.root\'',
    'exec unshare -U --map-user=1000 --map-group=1000 --root=\'/tmp/t/0.root\' --wd=\'/tmp/t/0\' -- "$@"',
    ''
  ])
})

/**
 * Returns the arguments that confine a server under a Node with these flags.
 * @param {Test} t
 * @param {string[]} flags
 */
async function argumentsWith (t, flags) {
  const dir = t.testdir({ root: {}, 'a.js': '' })
  const node = join(dir, 'node')
  writeFileSync(node, `#!/bin/sh\nprintf '%s\\n' ${flags.join(' ')}\n`, { mode: 0o755 })
  const code = [join(dir, 'a.js'), join(dir, 'a.js')]
  const { nodeArgs, by } =
    await confine({ dir, root: join(dir, 'root'), code, enterBeside: [], node, ways: ['permissions'] })
  return { nodeArgs, by, dir }
}

t.test('passes each path to Node once, by the permission flag of its version', async t => {
  for (const [flags, first] of /** @type {const} */ ([
    [['--experimental-permission'], ['--experimental-permission']],
    [['--permission', '--experimental-permission'], ['--permission']],
    [['--permission', '--allow-net'], ['--permission', '--allow-net']]
  ])) {
    const { nodeArgs, by, dir } = await argumentsWith(t, [...flags])
    t.equal(by, 'permissions')
    t.strictSame(nodeArgs.slice(0, first.length), first)
    t.equal(nodeArgs.filter(arg => arg === `--allow-fs-read=${join(dir, 'a.js')}`).length, 1)
    t.equal(nodeArgs.filter(arg => arg === `--allow-fs-read=${join(dir, 'root')}`).length, 1)
    t.strictSame(nodeArgs.filter(arg => arg.startsWith('--allow-fs-write')).length, 1, "the server's own folder")
  }
  const { by, nodeArgs } = await argumentsWith(t, [])
  t.strictSame({ by, nodeArgs }, { by: 'nothing', nodeArgs: [] })
})

t.test('reports how a vulnerable server was confined', async t => {
  const record = (/** @type {ConfinedBy | undefined} */ confinedBy) =>
    makeRecord({ arms: [makeArm({ proof: { ...makeArm().proof, confinedBy } })] })
  const codes = (/** @type {RunRecord} */ record) => findWarnings(record).map(({ code }) => code)
  t.match(codes(record('nothing')), ['not-confined'])
  t.match(codes(record('permissions')), ['confined-by-node'])
  t.strictSame([undefined, /** @type {const} */ ('namespace')].map(record).flatMap(codes), [])
  const proofs = (/** @type {RunRecord} */ record) => JSON.stringify(toChain(record.arms[0], record))
  t.match(proofs(record('namespace')), 'confined by a namespace')
  t.notMatch(proofs(record(undefined)), 'confined')
})
