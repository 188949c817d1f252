/**
 * Runs hopbench in a process of its own with its own TMPDIR, so that a test finds everything that the process leaves
 * behind.
 * @import { Test } from 'tap'
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { run, start, waitUntil } from '../../bench/machine/process.js'
import { tempFolder } from './temp.js'

export const project = fileURLToPath(new URL('../..', import.meta.url))

/** Time limit for the kernel to end all processes in the PID namespace of a killed process, in seconds. */
const GONE_SECONDS = 10

/**
 * @typedef {object} Workspace
 * @property {string} dir short; removed after the test
 * @property {string} tmp value of TMPDIR, in the environment of every process that is started
 * @property {string} results
 */

/**
 * A test or a benchmark, which calls functions when it ends.
 * @typedef {{ teardown: (undo: () => unknown) => unknown }} Scope
 */

/**
 * Makes a folder for one call of hopbench.
 * @param {Scope} t
 * @returns {Workspace}
 */
export function makeWorkspace (t) {
  const dir = tempFolder(t)
  const tmp = mkdtempSync(join(dir, 't-'))
  // Accessible to every account, as /tmp is: the workers of an nginx that root started run under another account.
  for (const folder of [dir, tmp]) chmodSync(folder, 0o711)
  return { dir, tmp, results: join(dir, 'results') }
}

/**
 * @typedef {object} CallOptions
 * @property {Workspace} workspace
 * @property {string} [from] folder of a copy of the project; default: the project itself
 * @property {string[]} [via] argv in front: `prlimit …`, `setpriv …`
 * @property {Record<string, string>} [env]
 * @property {string} [cwd] working folder
 * @property {number} [timeoutSeconds]
 */

/**
 * Returns the argv, the environment and the working folder of a call of hopbench.
 * @param {string[]} args
 * @param {CallOptions} options
 */
const commandOf = (args, { workspace, from = project, via = [], env = {}, cwd = workspace.dir }) => ({
  argv: [...via, process.execPath, join(from, 'bench/bootstrap.js'), ...args],
  env: { TMPDIR: workspace.tmp, INIT_CWD: cwd, HOPBENCH_DEBUG: '', NO_COLOR: '1', ...env },
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
  const { dir } = options.workspace
  const [stdout, log] = [join(dir, 'stdout'), join(dir, 'stderr')]
  const child = start({ name: 'hopbench', ...commandOf(args, options), stdout, log })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  return {
    child,
    stdout: () => readFileSync(stdout, 'utf8'),
    stderr: () => readFileSync(log, 'utf8'),
    /** @param {() => boolean} check */
    until: check => waitUntil(child, check, { timeoutSeconds: 150 })
  }
}

/**
 * Starts a run that no precision ends, and waits for its first sample.
 * @param {Scope} t
 * @param {string[]} words of the run
 * @param {CallOptions & { budget?: string }} options
 */
export async function beginRun (t, words, { budget = '60s', ...options }) {
  const { workspace } = options
  const call = begin(t, ['run', ...words, '--warm-up', '1s', '--precision', '0.01%', '--budget', budget, '--results',
    workspace.results], options)
  await call.until(() => samplesIn(workspace).length > 0)
  return call
}

/** Lists the runs in a results folder. @param {string} results */
export const listRuns = results => readdirSync(results).filter(name => name !== '.gitignore')

/**
 * Returns the folder of the only run in a results folder.
 * @param {Workspace} workspace
 */
export const runDir = ({ results }) => join(results, listRuns(results)[0])

/**
 * Reads the samples that are stored so far.
 * @param {Workspace} workspace
 */
export function samplesIn (workspace) {
  try {
    return readFileSync(join(runDir(workspace), 'samples.jsonl'), 'utf8').split('\n').slice(0, -1).map(line =>
      JSON.parse(line)
    )
  } catch {
    return []
  }
}

/** Reads the record of the only run in a results folder. @param {Workspace} workspace */
export const recordIn = workspace => JSON.parse(readFileSync(join(runDir(workspace), 'run.json'), 'utf8'))

/**
 * Finds the remaining processes of a call by its TMPDIR in their environment, arguments or working folder.
 * @param {Workspace} workspace
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
 * Waits until the processes of a call have ended.
 * @param {Workspace} workspace
 * @param {number} [seconds] time limit
 * @returns {Promise<string[]>} processes that remain at the limit
 */
export async function remainingProcesses (workspace, seconds = GONE_SECONDS) {
  const deadline = Date.now() + seconds * 1000
  while (processesOf(workspace).length > 0 && Date.now() < deadline) await sleep(50)
  return processesOf(workspace)
}

/**
 * Asserts that no process of a call, and so no namespace, and no file in its TMPDIR remains.
 * @param {Test} t
 * @param {Workspace} workspace
 */
export async function leavesNothing (t, workspace) {
  const deadline = Date.now() + GONE_SECONDS * 1000
  const left = () => [...processesOf(workspace), ...readdirSync(workspace.tmp)]
  while (left().length > 0 && Date.now() < deadline) await sleep(50)
  t.strictSame(left(), [], 'no process and no temporary file remains')
}

/**
 * Asserts that a call failed with one message and one suggestion, the exit code, no stack trace, and nothing left.
 * @param {Test} t
 * @param {Awaited<ReturnType<typeof run>>} result
 * @param {{ workspace: Workspace, exit: 1 | 2, message: RegExp }} expected
 */
export async function failsWell (t, { exit, stdout, stderr }, { workspace, exit: expected, message }) {
  t.match(stderr, message)
  t.equal(exit, expected, 'exit code') || t.comment(stdout, stderr)
  t.equal(stderr.match(/^Try: /gm)?.length, 1, 'one suggestion') || t.comment(stderr)
  // A message may quote a stack line of the user's own module.
  t.notMatch(stderr + stdout, /^\s+at .*(?:\/bench\/|\/node_modules\/|node:).*:\d+\)?$/m, 'no stack trace')
  t.notMatch(stderr, /hopbench itself failed|undefined|\[object/, 'an expected failure')
  await leavesNothing(t, workspace)
}

/** Returns the text of a file in /proc; empty: the file cannot be read. @param {string} file */
function textOf (file) {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** Returns the working folder of a process; empty: the folder cannot be read. @param {string} pid */
function folderOf (pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}
