/** Tests that commands which hopbench prints are parsed and planned when they are pasted. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './tap.js'
import { inOwnWords, keepOwnName, ownCommand } from '../../bench/machine/own-command.js'
import { PROJECT } from '../../bench/plan/plugins.js'
import { parse } from '../../bench/plan/spec.js'
import { toKitCommand } from '../../bench/report/winner.js'
import kind from '../../bench/features/size/kind.js'
import { IN_CLONE, withOwnCommand } from '../../bench/shared/commands.js'
import { commandsIn, findFault, listOutputs } from './printed-commands.js'
import { makeArm, makeRecord } from './record.js'
import { sizing } from './sizing.js'
import { renderBrief, renderText } from './rendered.js'
import { renderPage } from './rendered-page.js'

/** @import { Sizing, Topology } from '../../bench/types.js' */

const outputs = await listOutputs()

for (const [output, text] of Object.entries(outputs)) {
  const commands = commandsIn(text)
  if (commands.length === 0) continue
  t.test(`${output} prints commands that are parsed and planned`, async t => {
    for (const command of commands) t.equal(await findFault(command), null, command)
  })
}

t.test('the corpus has commands of each kind of output', async t => {
  const kinds = new Set(Object.keys(outputs).map(name => name.split(' ')[0]))
  t.strictSame(kinds, new Set(['error', 'help', 'page', 'report']))
  t.ok(Object.values(outputs).flatMap(commandsIn).length > 100)
})

t.test('finds commands that would be refused', async t => {
  const wrong = ['hopbench runn uds', 'hopbench run udss', 'hopbench run uds --bugdet 3m',
    'hopbench config nginx:keepalive/app', 'npm run hopbench -- config', 'npm run benchh']
  for (const command of wrong) t.type(await findFault(command), 'string', command)
})

/** @type {(run: string) => Topology} */
const behindNginx = run => ({
  proxy: { name: 'nginx', transport: 'uds-keepalive', options: {} },
  server: {
    name: 'shop',
    manager: 'node',
    instances: 1,
    options: {},
    command: { run, listen: ['unix'], cwd: '/', readySeconds: 60 }
  }
})

t.test('the command for the configuration has the app that it needs', async t => {
  const run = 'node "it\'s mine.js" --port $PORT'
  const spec = 'nginx:uds-keepalive/shop'
  const arm = makeArm({ name: spec, spec: 'nginx:uds-keepalive/./shop.js', topology: behindNginx(run) })
  const record = makeRecord({ arms: [{ ...arm, spec }], contrasts: [], claims: [] })
  const texts = [renderText(record, { columns: 500 }), renderBrief(record, { columns: 500, dir: '/r', target: 'r' })]
  for (const text of texts) {
    const command = commandsIn(text).find(command => command.includes(' config '))
    t.ok(command)
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command?.replace(IN_CLONE, '')}`], { encoding: 'utf8' })
    t.strictSame(words.trim().split('\n'), ['config', spec, '--app', `shop=${run}`, '--listen', '$SOCKET'])
    t.equal(await findFault(`${command}`), null)
  }
})

t.test('the command for a kit has the app, the folder or the sizing that it needs', async t => {
  const spec = 'nginx:uds-keepalive/shop'
  const topology = behindNginx('node a.js')
  const kit = toKitCommand({ spec, topology })
  t.equal(kit, `${IN_CLONE} config ${spec} --app 'shop=node a.js' --listen '$SOCKET' --target docker`)
  const files = toKitCommand({ spec: 'nginx/files', topology: parse('nginx/files') })
  t.equal(files, `${IN_CLONE} config nginx/files --root ./public --target docker`)
  const site = parse('nginx:keepalive+static/./shop.js')
  const folders = [{ prefix: '/assets', folder: '/srv/my shop' }]
  const whole = toKitCommand({ spec: 'nginx:keepalive+static/./shop.js', topology: { ...site, files: folders } })
  t.match(whole, " config nginx:keepalive+static/./shop.js --files '/assets=/srv/my shop' --target docker")
  for (const command of [kit, files, whole]) t.equal(await findFault(`${command}`), null)
  for (const other of ['nginx:uds/http-json', 'haproxy:uds/./shop.js']) {
    t.equal(toKitCommand({ spec: other, topology: parse(other) }), null, other)
  }
  const [row] = sizing.table
  const toSized = (/** @type {string} */ provider) => ({
    ...sizing,
    topologies: [{ ...sizing.topologies[0], spec, topology }],
    table: [{ ...row, topology: spec, offering: { ...row.offering, provider } }]
  })
  const next = (/** @type {Sizing} */ sized) => kind.next(/** @type {any} */ (makeRecord({ sizing: sized })), 'r')
  t.strictSame(next(toSized('Acme')).map(({ command }) => command), [
    [`${IN_CLONE} config ${spec}`, '--from r --target docker', "--plan 'Acme <b>One</b>'"]
  ])
  const brief = renderBrief(makeRecord({ sizing: toSized('Fly.io') }), { columns: 500, target: 'r' })
  t.match(brief, `Kit: ${IN_CLONE} config ${spec} --from r --target fly --plan 'Fly.io <b>One</b>'\n`)
  t.strictSame(next(sizing), [], 'a server of hopbench')
})

t.test('commands begin as they must where hopbench is started', async t => {
  const file = '/clone/bench/bootstrap.js'
  const started = (/** @type {string} */ program, /** @type {string} */ cwd) => {
    const env = { PATH: '/usr/bin:/home/me/.local/bin:/p/node_modules/.bin' }
    keepOwnName(program, env)
    return ownCommand({ project: '/clone/', cwd, env })
  }
  t.equal(started(file, '/clone/docs'), IN_CLONE)
  t.equal(started(file, '/other'), `node ${file}`)
  t.equal(started('/home/me/.local/bin/hopbench', '/clone'), 'hopbench')
  t.equal(started('/home/me/bin/hopbench', '/other'), '/home/me/bin/hopbench')
  t.equal(started('/p/node_modules/.bin/hopbench', '/p'), '/p/node_modules/.bin/hopbench', 'only npm has it on PATH')
  t.equal(withOwnCommand(`Try: ${IN_CLONE} doctor`, 'hopbench'), 'Try: hopbench doctor')
  t.equal(inOwnWords('nothing to replace'), 'nothing to replace')
})

t.test('a page has commands by the name of hopbench', async t => {
  const record = makeRecord({
    warnings: [{ code: 'shared-loopback', params: { why: 'x' }, command: `${IN_CLONE} doctor` }]
  })
  const page = renderPage({ record, samples: [], configs: [], check: null })
  t.match(page, ' hopbench doctor')
  t.notMatch(page.replace(/<script[^>]*>[^<]*<\/script>/g, ''), IN_CLONE)
})

t.test('package.json has the scripts that start hopbench in a clone', async t => {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
  t.equal(scripts.hopbench, 'node bench/bootstrap.js')
})
