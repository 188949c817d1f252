/**
 * Random messages of another machine. A valid message is accepted, and any other one ends the connection with an error
 * text. No file is written outside the folder of a run, and no call hangs.
 */
import fc from 'fast-check'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from '../support/tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { enginesFrom } from '../../bench/load/find-engine.js'
import { Channel } from '../../bench/studies/remote/channel.js'
import { enginesOver } from '../../bench/studies/remote/load-client.js'
import { serveLoad } from '../../bench/studies/remote/load-service.js'
import { findMessageFault, MESSAGES } from '../../bench/studies/remote/messages.js'
import { cleaned, isPlainPath, unpackError } from '../../bench/studies/remote/received.js'
import { openRigOver } from '../../bench/studies/remote/rig-client.js'
import { CASES, SEED } from '../support/fuzz-cases.js'
import { ANSWERS, ended, PARAMS, START } from '../support/hostile/remote-messages.js'

/** @import { AddressInfo } from 'node:net' */

const QUIET = { keepIn: '', engine: 'wrk', mayswitch: false, maxSeconds: 5, note: () => {} }
const names = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.constantFrom('..', '.', '', '/', '\\', 'a', '0.err', 'x.log', 'nginx.conf', 'run.json', '~', '\0', '\n',
    '%2e'), { maxLength: 6 }).map(parts => parts.join('/')),
  fc.array(fc.constantFrom('..', '.', '/', 'a', 'x.log', '//'), { maxLength: 8 }).map(parts => parts.join('')))
const value = fc.oneof(fc.constantFrom(null, true, -1, 0.5, 1e308, '', [], {}, 'x'.repeat(30_000), '__proto__'),
  fc.string({ unit: 'binary', maxLength: 20 }), fc.jsonValue({ maxDepth: 3 }))

/**
 * Replaces, removes or adds one part of a message.
 * @param {any} message
 * @param {{ where: number[], with: any, how: 'replace' | 'remove' | 'add', key: string }} mutation
 * @returns {any}
 */
function mutated (message, mutation) {
  const [first, ...where] = mutation.where
  if (message === null || typeof message !== 'object' || first === undefined) return mutation.with
  const keys = Object.keys(message)
  const copy = Array.isArray(message) ? [...message] : { ...message }
  const key = keys[first % (keys.length || 1)]
  if (mutation.how === 'add' && where.length === 0) Object.assign(copy, { [mutation.key]: mutation.with })
  else if (mutation.how === 'remove' && where.length === 0) delete copy[key]
  else if (key !== undefined) copy[key] = mutated(copy[key], { ...mutation, where })
  return copy
}
const mutation = fc.record({
  where: fc.array(fc.nat(30), { maxLength: 5 }),
  with: value,
  how: fc.constantFrom('replace', 'remove', 'add'),
  key: names
})

/** Makes two channels that are connected to each other. */
function channels () {
  const [there, back] = [new PassThrough(), new PassThrough()]
  return [new Channel('one', { input: back, output: there }), new Channel('other', { input: there, output: back })]
}

/**
 * Whether an error is reported by a message of its own, not by a failure of the code.
 * @param {unknown} error
 */
const isReported = error => error instanceof HopbenchError || (error instanceof Error && error.message !== '' &&
  !(error instanceof TypeError || error instanceof RangeError))

t.test('a changed response is valid, or ends the connection with an error', { timeout: 240_000 }, async t => {
  const cases = fc.tuple(fc.constantFrom(...Object.keys(ANSWERS)), mutation)
  for (const [method, answer] of Object.entries(ANSWERS)) {
    t.equal(findMessageFault(MESSAGES[method], 'response', answer), null, method)
  }
  await fc.assert(fc.asyncProperty(cases, async ([method, how]) => {
    const answer = JSON.parse(JSON.stringify(mutated(ANSWERS[method], /** @type {any} */ (how)) ?? null))
    const [here, there] = channels()
    there.serve(method, () => answer)
    // The parameters do not matter, because only the response is tested.
    const params = MESSAGES[method].params ? PARAMS[method] ?? 0 : null
    here.listen()
    there.listen()
    try {
      const got = await here.request(method, params, 10)
      return findMessageFault(MESSAGES[method], 'response', got) === null
    } catch (error) {
      return isReported(error) && here.isLost()
    } finally {
      here.close()
      there.close()
    }
  }), { numRuns: CASES.remoteAnswers, seed: SEED })
  t.pass(`${CASES.remoteAnswers} answers`)
})

t.test('changed orders start load only on one address and in one folder', { timeout: 120_000 }, async t => {
  const server = createServer(socket => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`
  const folder = join(t.testdir({}), 'load')
  /** @type {any[]} */
  const started = []
  const engines = enginesFrom(async name => /** @type {any} */ ({
    name,
    version: '1',
    start: async (/** @type {any} */ order) => {
      started.push(order)
      return { kill: async () => {} }
    }
  }))
  const target = { url, socketPath: null, body: null, certificate: null }
  const right = { ...START, order: { ...START.order, target } }
  await fc.assert(fc.asyncProperty(mutation, async how => {
    const [rig, loader] = channels()
    serveLoad(loader, engines, folder, { onlyTo: '127.0.0.1' })
    rig.listen()
    loader.listen()
    try {
      await rig.request('load/start', JSON.parse(JSON.stringify(mutated(right, /** @type {any} */ (how)) ?? null)), 10)
      return true
    } catch (error) {
      return isReported(error)
    } finally {
      rig.close()
      loader.close()
    }
  }), { numRuns: CASES.remoteOrders, seed: SEED })
  t.ok(started.length > 0)
  t.ok(started.every(({ target, dir, network, cores }) => new URL(target.url).hostname === '127.0.0.1' &&
    target.socketPath === null && dir.startsWith(`${folder}/load-`) && network.enter.length === 0 && cores === null))
})

t.test('file names of another machine cannot leave the folder of the run', { timeout: 120_000 }, async t => {
  const root = t.testdir({})
  const load = { ...START.order, target: { ...START.order.target, expectBody: null } }
  await fc.assert(fc.asyncProperty(names, fc.boolean(), async (name, ofRig) => {
    const inside = join(root, 'a/b/c/inside')
    mkdirSync(inside, { recursive: true })
    const [here, there] = channels()
    there.serve('rig/open', () => ({ ...ANSWERS['rig/open'], refused: [] }))
    there.serve('rig/close', () => ({ [name]: 'text' }))
    there.serve('load/engine', () => ANSWERS['load/engine'])
    there.serve('load/start', () => 0)
    there.serve('load/end', () => ({ ...ended, logs: { [name]: 'text' } }))
    here.listen()
    there.listen()
    try {
      if (ofRig) {
        const plan = /** @type {any} */ ({ arms: [{ name: 'a' }] })
        const rig = await openRigOver(here, plan, { ...QUIET, keepIn: inside })
        await rig.close()
      } else {
        const engine = await enginesOver(here).find('autocannon')
        await (await engine.start(/** @type {any} */ ({ ...load, dir: inside }))).end()
      }
    } catch (error) {
      if (!isReported(error)) return false
    } finally {
      here.close()
      there.close()
    }
    const found = ['', 'a', 'a/b', 'a/b/c'].flatMap(folder => readdirSync(join(root, folder)))
    rmSync(inside, { recursive: true })
    return found.join() === 'a,b,c,inside'
  }), { numRuns: CASES.remoteFiles, seed: SEED })
  t.pass(`${CASES.remoteFiles} names`)
})

t.test('join() leaves every plain path inside its folder', async t => {
  fc.assert(fc.property(names, name => !isPlainPath(name) || join('/folder', name) === `/folder/${name}`),
    { numRuns: CASES.remoteNames, seed: SEED })
  t.pass(`${CASES.remoteNames} names`)
})

t.test('after any bytes the channel is lost with an error of the catalog', { timeout: 120_000 }, async t => {
  const json = fc.oneof(fc.jsonValue(), fc.record({
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.oneof(fc.nat(3), fc.string({ maxLength: 3 }), fc.constant(null)),
    method: fc.constantFrom('beat', 'rig/note', 'load/start', '$/cancelRequest', '$/progress', '$/setTrace', 'x'),
    params: fc.jsonValue({ maxDepth: 2 }),
    result: fc.jsonValue({ maxDepth: 1 }),
    error: fc.jsonValue({ maxDepth: 1 })
  }, { requiredKeys: [] })).map(message => {
    const text = JSON.stringify(message)
    return Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  })
  const garbage = fc.uint8Array({ maxLength: 300 }).map(it => Buffer.from(it))
  const bytes = fc.array(fc.oneof({ weight: 4, arbitrary: json }, garbage), { minLength: 1, maxLength: 4 })
  await fc.assert(fc.asyncProperty(bytes, async parts => {
    const [input, output] = [new PassThrough(), new PassThrough().resume()]
    const channel = new Channel('it', { input, output })
    channel.onNotification('rig/note', () => {})
    channel.serve('load/start', () => 0)
    channel.listen()
    for (const part of parts) input.write(part)
    input.end()
    return ['host-lost', 'host-answer'].includes((await channel.lost).code)
  }), { numRuns: CASES.remoteBytes, seed: SEED })
  t.pass(`${CASES.remoteBytes} streams`)
})

t.test('an error of another machine becomes an error of the catalog without control characters, or null', async t => {
  const known = fc.constantFrom('host-lost', 'hosts-differ', 'bad-option', 'constructor', '__proto__', 'toString')
  const codes = fc.oneof(known, value)
  fc.assert(fc.property(codes, value, (code, details) => {
    const error = unpackError(cleaned({ code, details }))
    // eslint-disable-next-line no-control-regex
    return error === null || (error instanceof HopbenchError && !/[\x00-\x1f\x7f-\x9f]/.test(error.message))
  }), { numRuns: CASES.remoteErrors, seed: SEED })
  t.pass(`${CASES.remoteErrors} errors`)
})
