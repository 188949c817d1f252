/**
 * Measures ratios by hand: starts programs by commands of their own, and loads each in turn with another generator than
 * that of the stored run. Uses no code of bench/, so that a fault of the suite is not repeated here.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { availableParallelism, homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../..', import.meta.url))
const reference = join(project, 'results/reference')
/** Full load of each setup before the first window: a process of Express is steady after 215,000 requests. */
const WARM_SECONDS = 40
/** Load before each window, because V8 is idle between the windows of a setup and returns memory to the system. */
const LEAD_SECONDS = 6
const WINDOW_SECONDS = 4
/** Pairs, whose order alternates, so that linear drift of the machine cancels. */
const PAIRS = 6
const LENGTHS = { warm: WARM_SECONDS, lead: LEAD_SECONDS, window: WINDOW_SECONDS, pairs: PAIRS }
/** Limit of the first response of a program. PM2 starts within 5 s. */
const READY_SECONDS = 30
/** Largest distance of the ratio by hand from the stored one, where the intervals do not overlap. */
const TOLERANCE = 1.1

/**
 * @typedef {object} Setup
 * @property {(dir: string) => [string, ...string[]][]} commands that start its programs in a folder, in order
 * @property {Record<string, string>} [files] by name; $DIR becomes the folder
 * @property {(dir: string) => string} url
 */
/** @typedef {(url: string, seconds: number) => { argv: string[], read: (output: string) => number }} Generator */

/**
 * Finds a program on the PATH, or among those that hopbench has fetched.
 *
 * @param {...string} names "nginx@sid", "nginx": the first one that exists
 * @returns {string | null} absolute path
 */
export function findProgram (...names) {
  const cache = process.env.HOPBENCH_CACHE ?? join(homedir(), '.cache/hopbench')
  const folders = existsSync(cache) ? readdirSync(cache).map(name => join(cache, name)) : []
  const candidates = names.flatMap(name => [
    ...folders.flatMap(folder => {
      const file = join(folder, `${name}.json`)
      return existsSync(file) ? [join(folder, JSON.parse(readFileSync(file, 'utf8')).path)] : []
    }),
    ...(process.env.PATH ?? '').split(delimiter).map(folder => join(folder, name))
  ])
  return candidates.find(file => existsSync(file)) ?? null
}

/** Returns the environment in which fetched programs find their libraries. @param {string} program */
function toEnvironment (program) {
  const libraries = join(program, '../../lib/x86_64-linux-gnu')
  return existsSync(libraries) && !program.includes('started-by') ? { LD_LIBRARY_PATH: libraries } : {}
}

/**
 * Runs a program to its end.
 *
 * @param {string[]} argv
 * @param {number} seconds limit
 * @returns {Promise<string>} its output
 */
function run ([program, ...args], seconds) {
  const child = spawn('taskset', ['-c', '0', program, ...args], {
    env: { ...process.env, ...toEnvironment(program) }, stdio: ['ignore', 'pipe', 'pipe'], timeout: seconds * 1000
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => { output += part })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => code === 0
      ? resolve(output)
      : reject(new Error(`${program} ended with ${code}: ${output}`)))
  })
}

/**
 * Returns wrk with one thread.
 *
 * @param {string} wrk program
 * @param {number} connections
 * @returns {Generator}
 */
export const byWrk = (wrk, connections) => (url, seconds) => ({
  argv: [wrk, '-t1', `-c${connections}`, `-d${seconds}s`, url],
  read: output => {
    const faults = /Socket errors.*|Non-2xx.*/.exec(output)
    if (faults) throw new Error(faults[0])
    return Number(/Requests\/sec: +([\d.]+)/.exec(output)?.[1])
  }
})

/**
 * Returns h2load over HTTP/1.1.
 *
 * @param {string} h2load program
 * @param {number} connections
 * @returns {Generator}
 */
export const byH2load = (h2load, connections) => (url, seconds) => ({
  argv: [h2load, '--h1', '-t1', `-c${connections}`, '-D', `${seconds}`, '--warm-up-time=0', url],
  read: output => {
    const [, succeeded, failed] = /(\d+) succeeded, (\d+) failed/.exec(output) ?? []
    if (failed !== '0') throw new Error(`${failed} of ${succeeded} requests failed`)
    return Number(/finished in .*?, ([\d.]+) req\/s/.exec(output)?.[1])
  }
})

/**
 * Starts the programs of a setup on the last core, or on all of them.
 *
 * @param {Setup} setup
 * @param {boolean} isShared whether the programs may use all cores
 */
async function start ({ commands, files = {}, url }, isShared) {
  const dir = mkdtempSync(join(tmpdir(), 'by-hand-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text.replaceAll('$DIR', dir))
  const cores = isShared ? `0-${availableParallelism() - 1}` : `${availableParallelism() - 1}`
  const children = commands(dir).map(([program, ...args]) => spawn('taskset', ['-c', cores, program, ...args], {
    cwd: dir,
    detached: true,
    env: { ...process.env, NODE_ENV: 'production', ...toEnvironment(program) },
    stdio: ['ignore', 'ignore', 'inherit']
  }))
  const rejectEnded = () => {
    const ended = children.find(({ exitCode }) => exitCode !== null)
    if (ended) throw new Error(`${ended.spawnargs.join(' ')} ended with ${ended.exitCode}`)
  }
  const stop = async () => {
    for (const { pid } of children) {
      // The group has ended by itself.
      try { process.kill(-Number(pid), 'SIGKILL') } catch {}
    }
    await sleep(500)
    rmSync(dir, { recursive: true, force: true })
  }
  for (const end = Date.now() + READY_SECONDS * 1000; ;) {
    const isReady = await responds(url(dir))
    if (isReady) return { url: url(dir), stop, rejectEnded }
    if (Date.now() > end) {
      await stop()
      throw new Error(`${url(dir)} did not respond within ${READY_SECONDS} s`)
    }
    await sleep(200)
  }
}

/**
 * Returns whether a URL responds with 200; over TLS, whether its port accepts connections.
 *
 * @param {string} url
 * @returns {Promise<boolean>}
 */
async function responds (url) {
  if (url.startsWith('http:')) {
    return fetch(url).then(async response => await response.text() !== '' && response.ok, () => false)
  }
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  return once(socket, 'connect').then(() => true, () => false).finally(() => socket.destroy())
}

/**
 * Measures the ratio of two setups by hand.
 *
 * @param {{ arm: Setup, baseline: Setup, generator: Generator, isShared?: boolean, lengths?: typeof LENGTHS }} pair
 * @returns {Promise<number[]>} ratios of the pairs, sorted
 */
export async function measureByHand ({ arm, baseline, generator, isShared = false, lengths = LENGTHS }) {
  const running = []
  try {
    for (const setup of [arm, baseline]) running.push(await start(setup, isShared))
    const measure = async (/** @type {string} */ url, /** @type {number} */ seconds) => {
      const { argv, read } = generator(url, seconds)
      const rate = read(await run(argv, seconds + 30))
      if (!(rate > 0)) throw new Error(`no rate in the output of ${argv[0]}`)
      return rate
    }
    const [ofArm, ofBaseline] = running.map(({ url }) => url)
    const window = async (/** @type {string} */ url) => {
      await measure(url, lengths.lead)
      return measure(url, lengths.window)
    }
    for (const url of [ofArm, ofBaseline]) await measure(url, lengths.warm)
    const ratios = []
    for (let i = 0; i < lengths.pairs; i++) {
      const early = i % 2 === 0 ? await window(ofArm) : null
      const rate = await window(ofBaseline)
      ratios.push((early ?? await window(ofArm)) / rate)
    }
    for (const { rejectEnded } of running) rejectEnded()
    return ratios.sort((a, b) => a - b)
  } finally {
    for (const { stop } of running) await stop()
  }
}

/**
 * Returns a contrast of the last stored run of an experiment.
 *
 * @param {string} experiment
 * @param {string} arm
 * @param {string} baseline
 * @returns {{ run: string, ratio: number, low: number, high: number }}
 */
export function readContrast (experiment, arm, baseline) {
  const folders = readdirSync(reference, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(`Z-${experiment}`)).sort((a, b) => toName(a) < toName(b) ? -1 : 1)
  for (const folder of folders.reverse()) {
    const { run, contrasts } = JSON.parse(readFileSync(join(reference, folder, 'run.json'), 'utf8'))
    const found = contrasts.find((/** @type {any} */ one) => one.arm === arm && one.baseline === baseline)
    if (found) return { run, ratio: found.ratio, low: found.low, high: found.high }
  }
  throw new Error(`no stored run of ${experiment} compares ${arm} with ${baseline}`)
}
const toName = (/** @type {string} */ path) => path.split('/').at(-1) ?? path

/**
 * Compares ratios by hand with a stored contrast (pure).
 *
 * @param {string} what is compared
 * @param {number[]} ratios sorted
 * @param {ReturnType<typeof readContrast>} stored
 * @returns {{ agrees: boolean, row: string }} agrees: the middle half of the ratios overlaps the stored interval, or
 *   the median is within TOLERANCE of the stored ratio; row: of the table of docs/method.md
 */
export function compareWithStored (what, ratios, { run, ratio, low, high }) {
  const at = (/** @type {number} */ share) => {
    const position = share * (ratios.length - 1)
    const [below, above] = [ratios[Math.floor(position)], ratios[Math.ceil(position)]]
    return below + (above - below) * (position - Math.floor(position))
  }
  const [first, middle, last] = [at(0.25), at(0.5), at(0.75)]
  const overlaps = first <= high && last >= low
  const isNear = Math.abs(Math.log(middle / ratio)) <= Math.log(TOLERANCE)
  const print = (/** @type {number[]} */ [value, from, to]) =>
    `${value.toFixed(2)} (${from.toFixed(2)} to ${to.toFixed(2)})`
  return {
    agrees: overlaps || isNear,
    row: `| ${what} | ${print([middle, first, last])} | ${print([ratio, low, high])}, ${run} |`
  }
}
