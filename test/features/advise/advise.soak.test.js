/** hopbench advise from an Express app to a kit, quick and complete, and an advice that is resumed. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace, project } from '../../support/cli.js'

/** Limits of the whole command, in seconds: three minutes, and eight (without the time of a busy machine). */
const SECONDS = { quick: 180, full: 480 }
/** Limit of the first measured decision, in seconds. */
const FIRST_SECONDS = 60

const APP = `
import express from 'express'
const app = express()
app.use('/assets', express.static('public'))
app.get('/', (req, res) => { res.send('<!doctype html><title>Shop</title>' + '<p>A useful thing.</p>'.repeat(200)) })
app.listen(process.env.PORT)
`

const workspace = makeWorkspace(t)
const dir = join(workspace.dir, 'shop')
mkdirSync(join(dir, 'public'), { recursive: true })
symlinkSync(join(project, 'node_modules'), join(dir, 'node_modules'))
writeFileSync(join(dir, 'server.js'), APP)
writeFileSync(join(dir, 'public/site.css'), 'p { color: #123456; }\n'.repeat(500))
writeFileSync(join(dir, 'package.json'), JSON.stringify({
  name: 'shop', type: 'module', scripts: { start: 'node server.js' }, dependencies: { express: '^5.1.0' }
}))

const LOAD = ['--rps', '800', '--p99', '100ms', '--provider', 'fly']

/** @param {string[]} args */
const advise = args => hopbench(
  ['advise', '--files', '/assets=./public', '--results', workspace.results, '--json', ...args],
  { workspace, cwd: dir, timeoutSeconds: 1200 }
)

/** @type {['quick' | 'full', string[]][]} */
const MODES = [['quick', ['--quick']], ['full', []]]
for (const [mode, flags] of MODES) {
  t.test(`${mode}: decides, sizes and writes a kit in time`, async t => {
    const out = `deploy-${mode}`
    const { exit, stdout, stderr } = await advise([...flags, ...LOAD, '--out', out])
    if (!t.equal(exit, 0)) return t.comment(stderr)
    const record = JSON.parse(stdout)
    const { firstDecision, all } = record.seconds
    t.ok(firstDecision <= FIRST_SECONDS, `first decision after ${firstDecision} s`)
    t.ok(all <= SECONDS[mode], `complete after ${all} s`)
    t.equal(record.decisions.length, 9)
    t.ok(record.sizing.instances >= 2)
    for (const file of ['advice.md', 'advice.html', 'fly.toml', 'start.sh']) {
      t.ok(existsSync(join(dir, out, file)), file)
    }
    t.match(readFileSync(join(dir, out, 'advice.md'), 'utf8'), /# Advice for shop/)
    const again = await advise([...flags, ...LOAD, '--out', `${out}-again`, '--resume', record.advice])
    t.equal(again.exit, 0)
    const resumed = JSON.parse(again.stdout)
    t.same(resumed.runs, record.runs, 'nothing was measured anew')
    t.same(resumed.decisions, record.decisions)
    await leavesNothing(t, workspace)
  })
}
