/**
 * The command line as a person uses it: hopbench in a process of its own, with a temporary folder
 * of its own, so that everything it leaves behind is separate from what others do.
 * @import { Test } from 'tap'
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { run, start, waitUntil } from '../../bench/machine/process.js'

export const project = fileURLToPath(new URL('../..', import.meta.url))

/** The kernel ends what a killed process leaves behind, but not in the same instant. */
const GONE_SECONDS = 10

/**
 * @typedef {object} Place
 * @property {string} dir short; removed after the test
 * @property {string} tmp what TMPDIR names: also in the environment of everything that is started
 * @property {string} results
 */

/**
 * Whatever can undo things when it is over: a test, or a benchmark.
 * @typedef {{ teardown: (undo: () => unknown) => unknown }} Scope
 */

/**
 * A folder for one call of hopbench.
 * @param {Scope} t
 * @returns {Place}
 */
export function placeFor (t) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'hb-')))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const tmp = mkdtempSync(join(dir, 't-'))
  // As /tmp lets everybody pass: nginx that is started by root gives its workers to an account without rights.
  for (const folder of [dir, tmp]) chmodSync(folder, 0o711)
  return { dir, tmp, results: join(dir, 'results') }
}

/**
 * @typedef {object} CallOptions
 * @property {Place} place
 * @property {string} [from] the project's folder, where it is a copy
 * @property {string[]} [via] argv in front: `prlimit …`, `setpriv …`
 * @property {Record<string, string>} [env]
 * @property {string} [cwd] where the person stands
 * @property {number} [timeoutSeconds]
 */

/**
 * @param {string[]} args
 * @param {CallOptions} options
 */
const commandOf = (args, { place, from = project, via = [], env = {}, cwd = place.dir }) => ({
  argv: [...via, process.execPath, join(from, 'bench/bootstrap.js'), ...args],
  env: { TMPDIR: place.tmp, INIT_CWD: cwd, HOPBENCH_DEBUG: '', NO_COLOR: '1', ...env },
  cwd
})

/**
 * Calls hopbench and waits for its end.
 * @param {string[]} args
 * @param {CallOptions} options
 */
export async function hopbench (args, options) {
  const { argv, env, cwd } = commandOf(args, options)
  return run(argv, { env, cwd, timeoutSeconds: options.timeoutSeconds ?? 90 })
}

/**
 * Starts hopbench and leaves it running.
 * @param {Scope} t
 * @param {string[]} args
 * @param {CallOptions} options
 */
export function begin (t, args, options) {
  const { dir } = options.place
  const [stdout, log] = [join(dir, 'stdout'), join(dir, 'stderr')]
  const child = start({ name: 'hopbench', ...commandOf(args, options), stdout, log })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  return {
    child,
    stdout: () => readFileSync(stdout, 'utf8'),
    stderr: () => readFileSync(log, 'utf8'),
    /** @param {() => boolean} check */
    until: check => waitUntil(child, check, { timeoutSeconds: 60 })
  }
}

/** The only run in a results folder. @param {Place} place */
export const runDir = ({ results }) => join(results, readdirSync(results)[0])

/** Lines of samples stored so far. @param {Place} place */
export function samplesIn (place) {
  try {
    return readFileSync(join(runDir(place), 'samples.jsonl'), 'utf8').split('\n').slice(0, -1).map(line =>
      JSON.parse(line)
    )
  } catch {
    return []
  }
}

/** @param {Place} place */
export const recordIn = place => JSON.parse(readFileSync(join(runDir(place), 'run.json'), 'utf8'))

/**
 * Processes of a call that are still there: every one has its TMPDIR in its environment, its
 * arguments or as its folder.
 * @param {Place} place
 * @returns {string[]} their command lines
 */
export function processesOf ({ tmp }) {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
    const traces = [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`].map(textOf)
    const found = traces.some(text => text.includes(tmp)) || folderOf(pid).startsWith(tmp)
    return found ? [`${pid} ${traces[1].replaceAll('\0', ' ')}`] : []
  })
}

/**
 * Nothing that a call made outlives it: no process, and so no namespace; no socket, no folder.
 * @param {Test} t
 * @param {Place} place
 */
export async function leavesNothing (t, place) {
  const deadline = Date.now() + GONE_SECONDS * 1000
  const left = () => [...processesOf(place), ...readdirSync(place.tmp)]
  while (left().length > 0 && Date.now() < deadline) await sleep(50)
  t.strictSame(left(), [], 'it leaves no process and no temporary file behind')
}

/**
 * A failure that was foreseen: one message with what to try, the right exit code, nothing left.
 * @param {Test} t
 * @param {Awaited<ReturnType<typeof run>>} result
 * @param {{ place: Place, exit: 1 | 2, says: RegExp }} expected
 */
export async function failsWell (t, { exit, stdout, stderr }, { place, exit: expected, says }) {
  t.match(stderr, says)
  t.equal(exit, expected, 'exit code') || t.comment(stdout, stderr)
  t.equal(stderr.match(/^Try: /gm)?.length, 1, 'one sentence says what to try') || t.comment(stderr)
  // The line of a person's own module may be quoted: that is where they look.
  t.notMatch(stderr + stdout, /^\s+at .*(?:\/bench\/|\/node_modules\/|node:).*:\d+\)?$/m, 'no stack trace')
  t.notMatch(stderr, /hopbench itself failed|undefined|\[object/, 'it is a failure that was foreseen')
  await leavesNothing(t, place)
}

/** @param {string} file */
function textOf (file) {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** @param {string} pid */
function folderOf (pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}
