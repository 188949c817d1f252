/** `hopbench doctor --refresh` with a scripted apt-get that records its arguments. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import ab from '../../bench/engines/ab.js'
import h2load from '../../bench/engines/h2load.js'
import wrk from '../../bench/engines/wrk.js'
import { findTool, locateTool } from '../../bench/machine/tools.js'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { isOnPath } from '../support/needs.js'

const ours = [wrk, h2load, ab].find(({ about }) => !isOnPath(about.program))
const { program, packages = null } = (ours ?? wrk).about
const CALLS = '"$(dirname "$0")/calls"'
const PROGRAMS = {
  'apt-get': `echo "$@" >> ${CALLS}
[ "$1" = install ] || exit 0
archives=$(sed -n 's/^Dir::Cache::archives "\\(.*\\)";$/\\1/p' "$APT_CONFIG")
touch "$archives/${packages?.debian?.[0]}_9.9_amd64.deb"`,
  'dpkg-deb': `folder=$(mktemp -d)
mkdir -p "$folder/usr/bin"
printf '#!/bin/sh\\necho 9.9\\n' > "$folder/usr/bin/${program}"
chmod +x "$folder/usr/bin/${program}"
tar --create --directory "$folder" .
rm -r "$folder"`
}

t.test('doctor --refresh fetches exactly the programs of the cache again', {
  skip: !ours && 'wrk, h2load and ab are all installed'
}, async t => {
  const workspace = makeWorkspace(t)
  const [bin, cache] = [join(workspace.dir, 'bin'), join(workspace.dir, 'cache')]
  mkdirSync(bin)
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const env = { PATH: `${bin}:${process.env.PATH}`, HOPBENCH_CACHE: cache }
  const calls = () => readFileSync(join(bin, 'calls'), 'utf8').trim().split('\n').length
  const options = { env: { ...process.env, ...env }, printProgress: () => {} }
  const before = await findTool({ program, packages }, options)
  t.equal(calls(), 2, 'lists and packages')

  const plain = await hopbench(['doctor', '--json'], { workspace, env })
  t.equal(calls(), 2, 'no fetch without the option')
  const { stdout, stderr } = await hopbench(['doctor', '--refresh', '--json'], { workspace, env })
  t.equal(calls(), 4)
  t.match(stderr, new RegExp(`^Fetching ${program} again into `))
  const after = locateTool({ program, packages }, options.env)
  t.not(after?.root, before.root)
  t.same(readdirSync(cache).flatMap(system => readdirSync(join(cache, system)).filter(name =>
    name.startsWith('packages-'))).length, 1, 'the old packages are removed')
  const names = (/** @type {string} */ text) => JSON.parse(text).map((/** @type {{ name: string }} */ { name }) => name)
  t.same(names(stdout), names(plain.stdout), 'the same checks as without the option')
})
