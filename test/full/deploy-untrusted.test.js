/** Tests that no value of a stored sizing adds a line to a deploy kit. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { getErrorCode } from '../../bench/errors.js'
import { makeKit } from '../../bench/studies/deploy/deploy-kit.js'
import { parse } from '../../bench/plan/spec.js'
import { armFrom } from '../../bench/request/request.js'
import { kitFiles } from '../../bench/topology/deploy/kit.js'
import { TARGETS } from '../../bench/topology/deploy/targets.js'
import { leavesIn, withLeaf } from '../support/leaves.js'
import { inEnvironment } from '../support/provoke.js'
import { makeRecord } from '../support/record.js'
import { sizing } from '../support/sizing.js'

/** @import { KitRequest } from '../../bench/topology/deploy/types.js' */

const WORD = 'nginx:uds/./my-app.js'
/** Fields of a record that a kit reads besides its sizing. */
const READ = ['run', 'experiment', 'environment', 'sizing']
const COMMAND = 'touch FILE'
const PARTS = [
  `\n${COMMAND} #`, `\r${COMMAND}`, `\u2028${COMMAND}`, `\u0085${COMMAND}`, `"; ${COMMAND}; "`, `'; ${COMMAND}; '`,
  `\`${COMMAND}\``, `$(${COMMAND})`, ' # x', '--', '%n', `\nExecStartPre=+/bin/sh -c "${COMMAND}"`, '\u202e', '\\',
  '{{x}}'
]
/** Enough for values that must not be a text at all. */
const PARTS_OF_NUMBER = 3
const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029]/

/** @type {{ provider: string, name: string, memoryMiB: number }[]} */
const OFFERINGS = [
  { provider: 'Render', name: 'Pro Plus', memoryMiB: 8192 },
  { provider: 'Fly.io', name: 'performance-2x 4GB', memoryMiB: 4096 },
  { provider: 'Heroku', name: 'Standard-2X', memoryMiB: 1024 }
]

/** Returns the record of a sizing of WORD, as it is stored. */
function makeSized () {
  const [row] = sizing.table
  const table = OFFERINGS.map(offering => ({
    ...row,
    topology: WORD,
    offering: { ...row.offering, ...offering },
    instances: 3,
    workers: { workers: 2, limit: 'cpu', rule: 1 }
  }))
  const topologies = [{ ...sizing.topologies[0], spec: WORD }]
  return JSON.parse(JSON.stringify(
    makeRecord({ run: '2026-11-25T00-00-00Z-size', sizing: /** @type {any} */ ({ ...sizing, table, topologies }) })))
}

/** Returns the name of an offering as lines have it. @param {string} name */
const inLines = name => JSON.stringify(name.toLowerCase().replaceAll(/\d+/g, '1'))

/**
 * Returns the targets whose kit depends on a field, or one of all targets by turns.
 * @param {string[]} path
 * @param {number} turn
 */
function getTargets (path, turn) {
  const all = Object.keys(TARGETS)
  if (path[1] !== 'table') return [all[turn % all.length]]
  return path[2] === '0' ? ['render', 'systemd'] : [path[2] === '1' ? 'fly' : 'heroku']
}

t.test('no text of a sizing adds a line to a kit, except comments', async t => {
  const record = makeSized()
  const dir = t.testdir({ 'my-app.js': 'export default () => {}', 'package.json': '{ "name": "shop" }', run: {} })
  inEnvironment(t, { INIT_CWD: dir })
  const arm = await armFrom(WORD, { connections: 100, path: '/' })
  const linesOf = async (/** @type {unknown} */ value, /** @type {string} */ target) => {
    writeFileSync(join(dir, 'run', 'run.json'), JSON.stringify(value))
    const options = { target, out: './deploy', from: join(dir, 'run'), force: true }
    const { files } = await makeKit(arm, options)
    // A spec that remains valid names another topology, with other figures.
    return files.flatMap(file =>
      readFileSync(join(dir, 'deploy', file), 'utf8').replaceAll(/\d+/g, '1').split(LINE_END))
  }
  /** @type {Map<string, Set<string>>} */
  const clean = new Map()
  for (const target of Object.keys(TARGETS)) clean.set(target, new Set(await linesOf(record, target)))
  const counts = { refused: 0, written: 0 }
  const leaves = READ.flatMap(name => leavesIn(record[name], [name]))
  for (const [index, { path, value }] of leaves.entries()) {
    const parts = typeof value === 'string' ? PARTS : PARTS.slice(0, PARTS_OF_NUMBER)
    for (const [number, part] of parts.entries()) {
      const text = `${value ?? ''}${part}`
      const changed = withLeaf(record, path, text)
      // The name of an offering is a string in double quotes, in lower case.
      const isName = path.at(-1) === 'name'
      for (const target of getTargets(path, index + number)) {
        try {
          const added = (await linesOf(changed, target))
            .filter(line => !clean.get(target)?.has(line) && !/^\s*#/.test(line) &&
              !(isName && line.includes(inLines(text)) && /^[\w .+-]+$/.test(text)))
          if (added.length > 0) t.strictSame(added, [], `${path.join('.')} = ${JSON.stringify(text)}`)
          counts.written++
        } catch (error) {
          const code = getErrorCode(error)
          if (!['bad-run-file', 'config-value', 'not-sized'].includes(code)) throw error
          counts.refused++
          // The same file is refused for every target.
          if (code === 'bad-run-file') break
        }
      }
    }
  }
  t.ok(counts.refused > 200 && counts.written > 50, JSON.stringify(counts))
})

t.test('rejects the values of the two attacks, and names the field', async t => {
  const dir = t.testdir({ 'my-app.js': 'export default () => {}', run: {} })
  inEnvironment(t, { INIT_CWD: dir })
  const arm = await armFrom(WORD, { connections: 100, path: '/' })
  /** @type {[path: string[], value: unknown, message: RegExp][]} */
  const attacks = [
    [['run'], 'size\ntouch FILE #', /: run must match/],
    [['sizing', 'table', '0', 'offering', 'memoryMiB'], '512M\nExecStartPre=+/bin/sh', /memoryMiB must be number/],
    [['sizing', 'table', '0', 'workers', 'workers'], '2; touch FILE', /workers\.workers must be integer/],
    [['sizing', 'table', '0', 'instances'], 1e10, /table\.0\.instances must be <= /],
    [['sizing', 'table', '0', 'topology'], 'a;b', /topology "a;b"/]
  ]
  for (const [path, value, message] of attacks) {
    writeFileSync(join(dir, 'run', 'run.json'), JSON.stringify(withLeaf(makeSized(), path, value)))
    await t.rejects(makeKit(arm, { target: 'systemd', out: './deploy', from: join(dir, 'run') }),
      { code: 'bad-run-file', message }, path.join('.'))
  }
})

t.test('rejects control characters in all values of the templates, wherever they come from', t => {
  const topology = parse('./my-app.js')
  const settings = { processes: 1, memoryMiB: null, heapMiB: null, instances: null, plan: null, inFlight: null }
  const facts = {
    name: 'a',
    kit: '',
    app: 'a.js',
    command: null,
    root: null,
    files: [],
    node: null,
    python: null,
    image: null,
    buildpacks: [],
    path: '/',
    settings,
    sized: ['']
  }
  const request = { topology, spec: './my-app.js', target: 'systemd', proxy: null, clients: 1, trusted: [], facts }
  t.ok(kitFiles(request)['a.service'])
  /** @type {[change: Partial<KitRequest>, field: RegExp][]} */
  const changes = [
    [{ spec: 'a\nExecStartPre=+/bin/sh' }, /title/],
    [{ facts: { ...facts, sized: ['By a\ntouch FILE'] } }, /comments|sized/],
    [{ facts: { ...facts, app: 'a\u202e.js' } }, /app|module/],
    [{ facts: { ...facts, settings: { ...settings, memoryMiB: /** @type {any} */ ('1M\nUser=root') } } }, /memoryMiB/]
  ]
  for (const [change, message] of changes) {
    t.throws(() => kitFiles({ ...request, ...change }), { code: 'config-value', message })
  }
  t.end()
})
