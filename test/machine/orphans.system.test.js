/** Orphaned processes get the first process of the namespace as their parent, which must wait for them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { begin, makeWorkspace } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

const ORPHANS = 5
/** Starts orphans that end at once. A response from /zombies counts the zombies after a second. */
const app = `
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
const isZombie = pid => {
  try { return readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ')[1][0] === 'Z' } catch { return false }
}
for (let i = 0; i < ${ORPHANS}; i++) execFileSync('sh', ['-c', 'sh -c "sleep 0.1" > /dev/null 2>&1 &'])
export default async (req, res) => {
  res.setHeader('content-type', 'application/json')
  if (req.url !== '/zombies') return res.end('{}')
  await new Promise(resolve => setTimeout(resolve, 1000))
  res.end(JSON.stringify({ zombies: readdirSync('/proc').filter(isZombie).length }))
}
`

t.test('orphaned processes that ended leave no zombies', { skip: skipWithout('namespaces') }, async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'app.mjs'), app)
  const { stdout, until } = begin(t, ['up', './app.mjs', '--json'], { workspace, cwd: workspace.dir })
  await until(() => stdout().trimEnd().endsWith('}'))
  const { url } = JSON.parse(stdout())
  t.strictSame(await (await fetch(`${url}/zombies`)).json(), { zombies: 0 })
})
