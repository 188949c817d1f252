/** Tests which line of Node the kit of an advice has, and the text about it. */
import { linkSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { printReport } from '../../../bench/report/terminal.js'
import kind from '../../../bench/features/advise/kind.js'
import { applyRule, loadRules } from '../../../bench/features/advise/decide.js'
import { adviseRequestFrom } from '../../../bench/features/advise/request.js'
import { writeAdvice, writeKit } from '../../../bench/features/advise/write.js'
import { FOLDER, makeAdvice, makeContrast, makeFacts, makeState, RESULTS, STATIC } from '../../support/advice.js'
import { inEnvironment } from '../../support/provoke.js'

/** @import { Test } from 'tap' */
/** @import { AdviceContrast } from '../../../bench/types.js' */

const rules = await loadRules()
const facts = makeFacts({ machine: { node: '20.20.2' } })
const { slower, invalid } = RESULTS

/**
 * Returns the state of an app under Node 20 after the decision about the line.
 * @param {Partial<AdviceContrast> | null} measured null: the line for production was not measured
 */
function decideLine (measured) {
  const contrasts = measured === null ? [] : [makeContrast('lts', 'app', measured)]
  return rules.filter(({ name }) => name === 'node-line').reduce(applyRule, makeState({ facts, contrasts }))
}

t.test('the kit takes the line for production only where the app works under it and is no slower', async t => {
  const { image, kit } = await makeKit(t, {})
  t.match(image, /^FROM node:26-bookworm-slim/m)
  t.equal(kit.nodeLine, 26)
  for (const measured of [null, slower, invalid, { ...invalid, run: null }]) {
    t.equal((await makeKit(t, measured)).kit.nodeLine, 20, JSON.stringify(measured))
  }
})

t.test('package.json names the line of the app where it excludes the Node of this machine', async t => {
  const lines = { '22.x': 22, '>=22': 22, '^18.12.0 || ^20': 20, '>=18': 20, '*': 20, 'the newest': 20 }
  for (const [node, line] of Object.entries(lines)) {
    t.equal((await makeKit(t, null, { engines: { node } })).kit.nodeLine, line, node)
  }
  t.equal((await makeKit(t, null, { engines: 'node' })).kit.nodeLine, 20)
  const { kit } = await makeKit(t, {}, { engines: { node: '20.x' } })
  t.equal(kit.nodeLine, 26, 'the decision names the line to write')
})

t.test('an advice replaces a link in its folder, and changes no file outside', async t => {
  const dir = t.testdir({ outside: 'kept', other: 'kept', deploy: {} })
  inEnvironment(t, { INIT_CWD: dir })
  symlinkSync('../outside', join(dir, 'deploy/advice.md'))
  linkSync(join(dir, 'other'), join(dir, 'deploy/advice.html'))
  t.same(writeAdvice(makeAdvice(makeState()), 'deploy'), ['md', 'html', 'svg'].map(type => `deploy/advice.${type}`))
  t.match(readFileSync(join(dir, 'deploy/advice.md'), 'utf8'), /^# Advice for /)
  for (const name of ['outside', 'other']) t.equal(readFileSync(join(dir, name), 'utf8'), 'kept', name)
})

/**
 * Writes the kit of an app in a temporary project.
 * @param {Test} t
 * @param {Partial<AdviceContrast> | null} measured
 * @param {object} [manifest] further fields of package.json
 */
async function makeKit (t, measured, manifest = {}) {
  const text = JSON.stringify({ name: 'shop', scripts: { start: 'node a.js' }, ...manifest })
  const dir = t.testdir({ 'package.json': text })
  inEnvironment(t, { INIT_CWD: dir })
  const options = { lab: true }
  const state = decideLine(measured)
  const kit = await writeKit('app', { request: adviseRequestFrom(options), options, state, printProgress: () => {} })
  const image = readFileSync(join(dir, kit.dir, 'Dockerfile'), 'utf8')
  return { kit, image, state }
}

t.test('the image builds an app that has a script for it', async t => {
  const start = 'node a.js'
  const built = await makeKit(t, {}, { scripts: { start, build: 'vite build' } })
  t.match(built.image, /^RUN .*npm run build/m)
  t.notMatch(built.kit.next.join('\n'), /--build '/, 'which is an option of another command')
  t.notMatch((await makeKit(t, {}, { scripts: { start } })).image, /npm run build/)
})

t.test('the image has this line, and the report states when the line has ended', async t => {
  const kept = await makeKit(t, null)
  t.match(kept.image, /^FROM node:20-bookworm-slim/m)
  t.equal(kept.kit.nodeLine, 20)
  const record = makeAdvice(kept.state, { kit: kept.kit })
  t.match(printReport(record, kind, { columns: 300 }),
    'Its image has Node 20, which gets no releases since 2026-04-30.')
  const renewed = makeAdvice(kept.state, { kit: { ...kept.kit, nodeLine: 26 } })
  t.match(printReport(renewed, kind, { columns: 300 }), 'Its image has Node 26.\n')
  const without = makeAdvice(kept.state, { kit: { ...kept.kit, nodeLine: null } })
  t.notMatch(printReport(without, kind, { columns: 300 }), 'Its image')
})

t.test('the kit keeps files of earlier builds where the decision states so', async t => {
  const dir = t.testdir({
    'package.json': '{ "name": "shop", "scripts": { "start": "node a.js" } }',
    public: { 'app.3f2a91bc.js': 'text' }
  })
  inEnvironment(t, { INIT_CWD: dir })
  const options = { lab: true, files: ['/assets=./public'], force: true }
  const request = adviseRequestFrom(options)
  const write = async (/** @type {number} */ hashed) => {
    const state = makeState({
      facts: makeFacts({ platform: { target: 'docker' } }, { folders: [{ ...FOLDER, hashed }] })
    })
    return (await writeKit(STATIC, { request, options, state, printProgress: () => {} })).files
  }
  t.ok((await write(1)).includes('keep-builds.sh'))
  t.notOk((await write(0)).includes('keep-builds.sh'), 'no name has a hash')
})
