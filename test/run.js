/**
 * `npm test`: lint, types and the tests, whichever of them fails. Arguments choose test files or folders:
 * `npm test -- test/unit`. `--full` runs what takes too long for that instead (`npm run test:full`). The last line is
 * the count of assertions.
 *
 * Each file runs in a Node of its own, as `node test/unit/x.test.js` does. tap's own runner is not used: it loads a
 * tracer and a compiler into each file and into every Node that a file starts, which is two thirds of all CPU time.
 */
import { execa } from 'execa'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeTotals, readResults, sayResults, sumOf } from './report.js'

/** @import { FileResult } from './report.js' */

/** Tests wait more than they work: for programs to start, for windows to end. */
const JOBS = 5
/** Of one file. */
const TIMEOUT_SECONDS = 180
/** A file that is out of time says so itself, and what it had started is ended; then it is ended, too. */
const GRACE_SECONDS = 20
const USUAL = ['test/browser', 'test/contract', 'test/system', 'test/unit']
const FULL = ['test/full', 'test/browser/full']
/** What is measured there is asserted: nothing else may run beside it. */
const ALONE = /\/measuring\//
/** Beside others a test may get too little of the processor. What failed there is run again alone, and that decides;
 * more than so many files are no bad luck. */
const MOST_AGAIN = 3
/** They begin first: at the end nobody waits for one of them with a core that has nothing to do. */
const LONG = /\/(package|starts\.simulation|check-transports|runtimes|own-apps|live|misuse|errors|report)\.test\.js$/
/** They need no programs: those are fetched meanwhile. */
const EARLY = /^test\/(contract|unit)\//

/** For t.mockImport; and execa ends what still runs when this ends. */
const PRELOADED = ['--import=@tapjs/mock/import', '--import=./test/support/ended-by-signal.js']

const project = fileURLToPath(new URL('..', import.meta.url))
const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`)

/**
 * @param {string[]} args test files and folders, --full, --timeout=<seconds of one file>
 * @returns {Promise<number>} exit code
 */
export async function main (args) {
  const full = args.includes('--full')
  const seconds = Number(args.find(arg => arg.startsWith('--timeout='))?.split('=')[1] ?? TIMEOUT_SECONDS)
  const chosen = args.filter(arg => !arg.startsWith('--'))
  const places = chosen.length > 0 ? chosen : full ? FULL : USUAL
  const files = places.flatMap(filesIn)
  say(`tests: ${places.join(' ')}`)
  /** @type {FileResult[]} */
  const results = []
  const execute = async (/** @type {(file: string) => boolean} */ which, jobs = JOBS) => {
    const queue = files.filter(which).sort((a, b) => Number(LONG.test(b)) - Number(LONG.test(a)))
    await Promise.all(Array.from({ length: jobs }, async () => {
      for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
        const result = await runFile(file, seconds)
        sayResults(say, result)
        results.push(result)
      }
    }))
  }
  // `npm test` has checked it, and brought everything, when `npm run test:full` begins.
  const checks = full ? [] : lintAndTypes()
  await Promise.all([full || step('programs', ['node', 'test/support/bring-programs.js']),
    execute(file => EARLY.test(file))])
  await execute(file => !EARLY.test(file) && !ALONE.test(file))
  const checked = await checks
  await execute(file => ALONE.test(file), 1)
  if (files.length > 1) await runAgain(results, seconds)
  const totals = sumOf(results)
  const executed = totals.passed + totals.failed > 0
  if (!executed) say('tests FAILED: no test was executed')
  totals.passed += checked.filter(Boolean).length
  totals.failed += checked.filter(ok => !ok).length
  say(`took ${Math.round(process.uptime())} s`)
  say(describeTotals(totals))
  return executed && checked.every(Boolean) && results.every(({ ok }) => ok) ? 0 : 1
}

/**
 * @param {FileResult[]} results one that failed beside others is replaced by what it does alone
 * @param {number} seconds that a file may take
 */
async function runAgain (results, seconds) {
  const failed = results.filter(({ ok, file }) => !ok && !ALONE.test(file))
  if (failed.length > MOST_AGAIN) return
  for (const first of failed) {
    say(`again, alone: ${first.file}`)
    const result = await runFile(first.file, seconds)
    sayResults(say, result)
    results[results.indexOf(first)] = result
  }
}

/** @returns {Promise<boolean[]>} of each check whether there is nothing to mend: they count in the totals */
async function lintAndTypes () {
  // What runs in a browser is checked against a browser's types.
  const types = ['.', 'bench/report/page/browser', 'bench/commands/serve/browser', 'test/browser']
  const [lint, typed] = await Promise.all([
    step('lint', ['eslint', '.']),
    steps(types.map(folder => [`types of ${folder}`, ['tsc', '--noEmit', '-p', folder]]))
  ])
  return [lint, typed]
}

/**
 * @param {[string, string[]][]} list name and argv
 * @returns {Promise<boolean>} whether all ended well
 */
async function steps (list) {
  let ok = true
  for (const [name, argv] of list) ok = await step(name, argv) && ok
  return ok
}

/**
 * Runs a program of node_modules/.bin and prints one line, and what it said if it failed.
 * @param {string} name
 * @param {string[]} argv
 * @returns {Promise<boolean>} whether it ended well
 */
async function step (name, argv) {
  const { failed, all, durationMs } = await execa(argv[0], argv.slice(1), {
    cwd: project,
    preferLocal: true,
    reject: false,
    all: true,
    stdin: 'ignore'
  })
  say(`${name} ${failed ? 'FAILED' : 'ok'} (${(durationMs / 1000).toFixed(1)} s)`)
  if (failed) say(all)
  return !failed
}

/**
 * @param {string} place as typed, from the project's folder
 * @returns {string[]} its test files, but for those in a folder of slow ones; one that is not there is one, so that it
 * fails
 */
function filesIn (place) {
  const path = resolve(project, place)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [relative(project, path)]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.js') && !name.startsWith('full/')).sort()
    .map(name => relative(project, join(path, name)))
}

/**
 * @param {string} file
 * @param {number} seconds that it may take
 * @returns {Promise<FileResult>}
 */
async function runFile (file, seconds) {
  // The machine lock and what is left behind are found by this folder. It is short: sockets lie in it.
  const temp = mkdtempSync(join(tmpdir(), 'tap-'))
  // Tests of root run programs as another account, too, from folders in it.
  chmodSync(temp, 0o711)
  try {
    const { stdout, exitCode, durationMs } = await execa(process.execPath, [...PRELOADED, file], {
      cwd: project,
      env: { TMPDIR: temp, TAP_TIMEOUT: String(seconds) },
      timeout: (seconds + GRACE_SECONDS) * 1000,
      killSignal: 'SIGKILL',
      reject: false,
      stdin: 'ignore',
      stderr: 'inherit',
      maxBuffer: 1e9
    })
    return readResults(file, { stdout, exit: exitCode ?? null, seconds: durationMs / 1000 })
  } finally {
    rmSync(temp, { recursive: true, force: true, maxRetries: 3 })
  }
}
