/**
 * `npm test`: lint, types and tests. All of them run even if one fails. Arguments choose test files or folders:
 * `npm test -- test/judge`. `--full` runs those ending in .full.test.js instead (`npm run test:full`), `--soak` those
 * in .soak.test.js. The last line is the count of
 * assertions.
 *
 * Slow files run in a Node process each, as `node test/plan/plan.test.js` does, and quick ones share one. tap's own
 * runner is not used, because it loads a tracer and a compiler into each file and into every Node process that a file
 * starts, which takes two thirds of all CPU time.
 */
import { execa } from 'execa'
import {
  chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { rootCertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import {
  describeRetried, describeTotals, findRetried, printResults, readBatch, readResults, sumTotals
} from './report.js'

/** @import { FileResult } from './report.js' */

/** Test files at once. More than the cores, because tests mostly wait: for programs to start, for windows to end. */
const JOBS = 5
/** The same with --full, whose files use whole cores: with more of them, programs are late and tests fail. */
const FULL_JOBS = 3
/** Time limit of one file. tap enforces it, and ends what the file had started. */
const TIMEOUT_SECONDS = 180
/** Time after which a file that exceeded its limit is killed. */
const GRACE_SECONDS = 20
const DEFAULT_FOLDERS = ['test']
/** Files that need valid trials, but assert no figure. Two run at once, after the other files. */
const QUIET = /\.quiet\./
/** Files that assert measured figures. No other test may run beside them. */
const ALONE = /\.measuring\./
/**
 * Most failed files that are run again, alone. A test can fail beside others because it gets too little CPU time; a
 * larger number of failed files has another cause.
 */
const MAX_RETRIED_FILES = 3
/** Seconds that each file took in an earlier run, which `npm test -- --durations` renews. */
const DURATIONS = new URL('durations.json', import.meta.url)
/** Duration of a file that is in no earlier run. It starts early. */
const UNKNOWN_SECONDS = 30
/** Files that need no programs. They run while the programs are fetched. */
const EARLY = /^test\/(?!browser\/)[^.]*\.test\.js$/
/** Files that only --full and only --soak run. */
const [FULL, SOAK] = [/\.full\.test\.js$/, /\.soak\.test\.js$/]

/** Longest duration of a file that shares a process with others, and about that of such a process, in seconds. */
const QUICK_SECONDS = 10
const BATCH_SECONDS = 40
/** Duration with which the quickest files count, whose measured one is 0. */
const LEAST_SECONDS = 0.5
/**
 * Matches a test that replaces modules, changes its process or the root of tap, or measures its process. Such a test
 * has a process of its own.
 */
const CHANGES_PROCESS = new RegExp('\\bt\\.(mockImport|intercept|capture|jobs)|' +
  'process\\.(env|argv|chdir|on|once|exit|cpuUsage|std\\w+)\\b|globalThis')

/** Folder in which lint stores what it found in unchanged files. */
const LINT_CACHE = '.tools/checks/'

/** Module that ends child processes together with the test. */
const END_BY_SIGNAL = '--import=./test/support/ended-by-signal.js'
/** Module for t.mockImport. Only files that call it load the module, because its hooks take 0.1 s of CPU time. */
const MOCK = '--import=@tapjs/mock/import'

const project = fileURLToPath(new URL('..', import.meta.url))
const authorities = moveAuthorities()
const printLine = (/** @type {string} */ line) => process.stdout.write(`${line}\n`)

/**
 * @param {string[]} args test files and folders, --full, --durations, --timeout=<seconds of one file>
 * @returns {Promise<number>} exit code
 */
export async function main (args) {
  const isFull = args.includes('--full')
  const seconds = Number(args.find(arg => arg.startsWith('--timeout='))?.split('=')[1] ?? TIMEOUT_SECONDS)
  const chosen = args.filter(arg => !arg.startsWith('--'))
  const paths = chosen.length > 0 ? chosen : DEFAULT_FOLDERS
  printLine(`tests: ${paths.join(' ')}`)

  const schedule = isFull ? FULL : args.includes('--soak') ? SOAK : /^(?!.*\.(full|soak)\.)/
  const files = paths.flatMap(path => findTestFiles(path, schedule))
  // `npm run test:full` runs after `npm test`, which has checked the code and fetched the programs.
  const checks = isFull ? [] : checkCode()
  const programs = isFull || runStep('programs', ['node', 'test/support/bring-programs.js'])
  const busy = files.filter(file => !QUIET.test(file) && !ALONE.test(file))
  const [batches, single] = isFull ? [[], busy] : toBatches(busy)
  const jobs = isFull ? FULL_JOBS : JOBS
  const parallel = await runFiles(inOrder([...single, ...batches]), { seconds, programs, jobs })
  const checked = await checks
  const quiet = inOrder(files.filter(file => QUIET.test(file)))
  parallel.push(...await runFiles(quiet, { seconds, programs, jobs: 2 }))
  const alone = await runFiles(files.filter(file => ALONE.test(file)), { seconds, programs, jobs: 1 })

  // A single file has already run alone.
  const repeated = files.length > 1 ? await retryFailed(parallel, seconds) : parallel
  const results = [...repeated, ...alone]
  if (args.includes('--durations')) writeDurations(results)
  return printSummary(results, checked, isFull)
}

/**
 * Prints the last lines.
 * @param {FileResult[]} results
 * @param {boolean[]} checked results of lint and types
 * @param {boolean} isFull whether a file that passed only when run again is a failure
 * @returns {number} exit code
 */
function printSummary (results, checked, isFull) {
  const totals = sumTotals(results)
  const hasAssertions = totals.passed + totals.failed > 0
  if (!hasAssertions) printLine('tests FAILED: no test was executed')
  totals.passed += checked.filter(Boolean).length
  totals.failed += checked.filter(isOk => !isOk).length
  const retried = findRetried(results)
  if (isFull) totals.failed += retried.length
  printLine(`took ${Math.round(process.uptime())} s`)
  describeRetried(retried).forEach(printLine)
  printLine(describeTotals(totals))
  return hasAssertions && totals.failed === 0 ? 0 : 1
}

/** @returns {Record<string, number>} seconds by path */
const readDurations = () => JSON.parse(readFileSync(DURATIONS, 'utf8'))

/**
 * Stores the durations of files, beside those of files that exist and did not run.
 * @param {FileResult[]} results
 */
function writeDurations (results) {
  const earlier = Object.entries(readDurations()).filter(([file]) => existsSync(join(project, file)))
  const run = results.map(({ file, seconds }) => /** @type {const} */ ([file, Math.round(seconds)]))
  const all = Object.entries(Object.fromEntries([...earlier, ...run])).sort(([a], [b]) => a < b ? -1 : 1)
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
}

/**
 * Sorts files and batches, the slow ones first, so that no core idles at the end.
 * @template {string | string[]} T
 * @param {T[]} files
 * @returns {T[]}
 */
function inOrder (files) {
  const durations = readDurations()
  const getSeconds = (/** @type {string | string[]} */ next) => [next].flat().reduce((sum, file) =>
    sum + Math.max(LEAST_SECONDS, durations[file] ?? UNKNOWN_SECONDS), 0)
  return files.sort((a, b) => getSeconds(b) - getSeconds(a))
}

/**
 * Combines quick files into batches, each of which runs in one process, because the start of a process, and loading the
 * modules of the suite, takes longer than most files. Files of a folder follow each other, and share most modules.
 * @param {string[]} files
 * @returns {[string[][], string[]]} batches, and the other files
 */
function toBatches (files) {
  const durations = readDurations()
  const isQuick = (/** @type {string} */ file) => durations[file] <= QUICK_SECONDS && !/\.system\./.test(file) &&
    !CHANGES_PROCESS.test(readFileSync(join(project, file), 'utf8'))
  const quick = files.filter(isQuick)
  /** @type {string[][]} */
  const batches = []
  let left = 0
  for (const file of quick) {
    const seconds = Math.max(LEAST_SECONDS, durations[file])
    if (seconds > left) {
      batches.push([])
      left = BATCH_SECONDS
    }
    left -= seconds
    batches[batches.length - 1].push(file)
  }
  return [batches, files.filter(file => !quick.includes(file))]
}

/**
 * Runs test files, several at once.
 * @param {(string | string[])[]} files each alone, or a batch of several in one process
 * @param {object} options
 * @param {number} options.seconds time limit of one file
 * @param {unknown} options.programs promise that the programs are fetched, for which files wait that need them
 * @param {number} options.jobs files at once
 * @returns {Promise<FileResult[]>} in the order in which they ended
 */
async function runFiles (files, { seconds, programs, jobs }) {
  /** @type {FileResult[]} */
  const results = []
  const queue = [...files]
  let hasPrograms = false
  Promise.resolve(programs).then(() => { hasPrograms = true })
  const isEarly = (/** @type {string | string[]} */ files) => [files].flat().every(file => EARLY.test(file))
  const takeNext = () => queue.splice(hasPrograms ? 0 : Math.max(0, queue.findIndex(isEarly)), 1)[0]
  const work = async () => {
    for (let next = takeNext(); next !== undefined; next = takeNext()) {
      if (!isEarly(next)) await programs
      for (const result of Array.isArray(next) ? await runBatch(next, seconds) : [await runFile(next, seconds)]) {
        printResults(printLine, result)
        results.push(result)
      }
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return results
}

/**
 * Runs the files that failed beside others again, alone. The second result counts.
 * @param {FileResult[]} results
 * @param {number} seconds time limit of one file
 * @returns {Promise<FileResult[]>}
 */
async function retryFailed (results, seconds) {
  const failed = results.filter(({ ok }) => !ok)
  if (failed.length > MAX_RETRIED_FILES) return results
  /** @type {FileResult[]} */
  const second = []
  for (const { file } of failed) {
    printLine(`again, alone: ${file}`)
    const result = { ...await runFile(file, seconds), isRetry: true }
    printResults(printLine, result)
    second.push(result)
  }
  return [...results.filter(({ ok }) => ok), ...second]
}

/** @returns {Promise<boolean[]>} whether lint and whether types found nothing */
const checkCode = () => Promise.all([
  runStep('lint', ['eslint', '.', '--cache', '--cache-location', LINT_CACHE]),
  runStep('types', ['node', 'bench/bootstrap.js', '--then', 'test/types.js'])
])

/**
 * Runs a program and prints one line, followed by the program's output if it failed.
 * @param {string} name
 * @param {string[]} argv
 * @returns {Promise<boolean>} whether it succeeded
 */
async function runStep (name, argv) {
  const { failed, all, durationMs } = await execa(argv[0], argv.slice(1), {
    cwd: project,
    preferLocal: true,
    reject: false,
    all: true,
    stdin: 'ignore'
  })
  printLine(`${name} ${failed ? 'FAILED' : 'ok'} (${(durationMs / 1000).toFixed(1)} s)`)
  if (failed) printLine(all)
  return !failed
}

/**
 * Finds the test files of a folder that a schedule has. Returns any other path unchanged, so that a missing file fails.
 * @param {string} typed file or folder, relative to the project
 * @param {RegExp} schedule
 * @returns {string[]}
 */
function findTestFiles (typed, schedule) {
  const path = resolve(project, typed)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [relative(project, path)]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.js') && schedule.test(name)).sort()
    .map(name => relative(project, join(path, name)))
}

/**
 * Returns the options of Node that load modules before a test file.
 * @param {string} file
 */
function getPreloaded (file) {
  const path = join(project, file)
  const hasMocks = existsSync(path) && readFileSync(path, 'utf8').includes('t.mockImport')
  return hasMocks ? [MOCK, END_BY_SIGNAL] : [END_BY_SIGNAL]
}

/**
 * @param {string} file
 * @param {number} seconds time limit
 * @returns {Promise<FileResult>}
 */
async function runFile (file, seconds) {
  const { stdout, exitCode, durationMs } = await execute([file], getPreloaded(file), seconds)
  return readResults(file, { stdout, exit: exitCode ?? null, seconds: durationMs / 1000 })
}

/**
 * Runs files in one process, and each that did not pass there alone.
 * @param {string[]} files
 * @param {number} seconds time limit of the process, and of each file alone
 * @returns {Promise<FileResult[]>}
 */
async function runBatch (files, seconds) {
  const { stdout } = await execute(['test/support/batch.js'], [END_BY_SIGNAL], seconds,
    { HOPBENCH_TEST_FILES: files.join(':') })
  const passed = readBatch(stdout).filter(({ ok }) => ok)
  const others = files.filter(file => !passed.some(result => result.file === file))
  for (const file of others) {
    printLine(`failed beside files of its process, so alone: ${file}`)
    passed.push(await runFile(file, seconds))
  }
  return passed
}

/**
 * Returns variables that name further authorities to package managers in place of Node, which would read their file at
 * each start. With the authorities of Debian that triples the CPU time of a start, to 0.15 s.
 */
function moveAuthorities () {
  const { NODE_EXTRA_CA_CERTS: file } = process.env
  if (!file || !existsSync(file)) return {}
  const dir = mkdtempSync(join(tmpdir(), 'tap-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  chmodSync(dir, 0o711)
  const all = join(dir, 'authorities.pem')
  // In contrast to the variable of Node, those of package managers replace the usual authorities.
  writeFileSync(all, [...rootCertificates, readFileSync(file, 'utf8')].join('\n'))
  return { NODE_EXTRA_CA_CERTS: undefined, npm_config_cafile: all, YARN_HTTPS_CA_FILE_PATH: all }
}

/**
 * @param {string[]} argv of Node
 * @param {string[]} preloaded options of Node
 * @param {number} seconds time limit
 * @param {Record<string, string>} [env]
 */
async function execute (argv, preloaded, seconds, env) {
  // The machine lock and leftovers of earlier runs are in TMPDIR. The path is short, because sockets lie in it.
  const temp = mkdtempSync(join(tmpdir(), 'tap-'))
  // Run by root, tests start programs under other accounts, which read files in this folder.
  chmodSync(temp, 0o711)
  try {
    return await execa(process.execPath, [...preloaded, ...argv], {
      cwd: project,
      env: { ...authorities, TMPDIR: temp, TAP_TIMEOUT: String(seconds), ...env },
      timeout: (seconds + GRACE_SECONDS) * 1000,
      killSignal: 'SIGKILL',
      reject: false,
      stdin: 'ignore',
      stderr: 'inherit',
      maxBuffer: 1e9
    })
  } finally {
    rmSync(temp, { recursive: true, force: true, maxRetries: 3 })
  }
}
