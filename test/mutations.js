/**
 * Mutation test of the code that judges: `node test/mutations.js`. Changes one operator, condition or constant of
 * a file in bench/judge/ at a time, in a copy of the project, and runs the unit tests that import the file. A mutant
 * that passes all of them has survived, and is printed: a test is missing, or the change has no effect.
 *
 * Options: --seed and --count of the sample; --part=2/4 runs the second quarter of it; files restrict it.
 */
import { execa } from 'execa'
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { randomFrom, shuffle } from '../bench/shared/random.js'
import { makeMutants } from './support/mutants.js'

/** @import { Mutant } from './support/mutants.js' */
/** @typedef {Mutant & { file: string, killer: string | null }} Result killer: the test that failed; null: survived */

const project = fileURLToPath(new URL('..', import.meta.url))
const MUTATED = 'bench/judge'
/** Tests of one mutant, the nearest by imports first. Limits the time of a mutant that survives to about 20 s. */
const MAX_TESTS = 20
/** Limit of one test file. A mutant that makes a loop endless fails. */
const TIMEOUT_SECONDS = 60
/** Share of mutants that a test must notice. */
export const GOAL = 0.85
/** Folders that the copies leave out, and programs and stored runs that no unit test needs. */
const LEFT_OUT = new Set(['.git', '.tap', '.tools', 'node_modules', 'results'])

/**
 * Lists JavaScript files.
 * @param {string} folder relative to the project
 */
const listFiles = folder => readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.js')).map(name => join(folder, name)).sort()

/**
 * Reads which files import each file. Imports of types are comments.
 * @returns {Map<string, Set<string>>}
 */
function readImporters () {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map()
  for (const file of ['bench', 'test'].flatMap(listFiles)) {
    const code = readFileSync(join(project, file), 'utf8').replace(/\/\*[^]*?\*\//g, '')
    for (const [, path] of code.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const imported = normalize(join(dirname(file), path))
      importers.set(imported, (importers.get(imported) ?? new Set()).add(file))
    }
  }
  return importers
}

/**
 * Returns the unit tests that import a file, directly or through others, the nearest first.
 * @param {string} file
 * @param {Map<string, Set<string>>} importers
 */
function findTests (file, importers) {
  const found = new Set([file])
  for (const reached of found) for (const importer of importers.get(reached) ?? []) found.add(importer)
  return [...found].filter(name => /^[^.]*\.test\.js$/.test(name)).slice(0, MAX_TESTS)
}

/**
 * Samples mutants.
 * @param {{ seed: number, count: number, files: string[] }} options files: without any, all of bench/judge/
 */
function sampleMutants ({ seed, count, files }) {
  const chosen = files.length > 0 ? files : listFiles(MUTATED)
  const all = chosen.flatMap(file =>
    makeMutants(readFileSync(join(project, file), 'utf8')).map(mutant => ({ file, ...mutant })))
  return shuffle(all, randomFrom(seed, 'mutants')).slice(0, count)
}

/** A copy of the project in which one file at a time is mutated. */
class Copy {
  /**
   * Whether each test passes without a mutant.
   * @type {Map<string, boolean>}
   */
  sound = new Map()

  constructor () {
    this.dir = mkdtempSync(join(tmpdir(), 'hb-'))
    cpSync(project, this.dir, { recursive: true, filter: path => !LEFT_OUT.has(basename(path)) || path === project })
    for (const name of ['node_modules', 'results']) symlinkSync(join(project, name), join(this.dir, name))
  }

  /**
   * @param {string} test
   * @returns {Promise<boolean>} whether it passes
   */
  async passes (test) {
    const { failed } = await execa(process.execPath, [test], {
      cwd: this.dir,
      env: { TAP_BAIL: '1' },
      timeout: TIMEOUT_SECONDS * 1000,
      killSignal: 'SIGKILL',
      reject: false,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore'
    })
    return !failed
  }

  /**
   * Runs tests against a mutant until one fails that passes without it.
   * @param {Mutant & { file: string }} mutant
   * @param {string[]} tests
   * @returns {Promise<string | null>} the failed test; null: all passed
   */
  async findKiller ({ file, text }, tests) {
    const path = join(this.dir, file)
    const original = readFileSync(path)
    for (const test of tests) {
      writeFileSync(path, text)
      const isKilled = !await this.passes(test)
      writeFileSync(path, original)
      if (!isKilled) continue
      if (!this.sound.has(test)) this.sound.set(test, await this.passes(test))
      if (this.sound.get(test)) return test
    }
    return null
  }
}

/**
 * Runs a sample of mutants.
 * @param {{ seed?: number, count?: number, part?: string, files?: string[] }} options
 * @param {(line: string) => void} printProgress
 * @returns {Promise<Result[]>}
 */
export async function runMutants ({ seed = 1, count = 40, part = '1/1', files = [] }, printProgress) {
  const [number, parts] = part.split('/').map(Number)
  const queue = sampleMutants({ seed, count, files }).filter((_, i) => i % parts === number - 1)
  const importers = readImporters()
  /** @type {Result[]} */
  const results = []
  const work = async () => {
    const copy = new Copy()
    try {
      for (let mutant = queue.pop(); mutant !== undefined; mutant = queue.pop()) {
        const killer = await copy.findKiller(mutant, findTests(mutant.file, importers))
        results.push({ ...mutant, killer })
        const { file, line, from, to } = mutant
        printProgress(`${killer === null ? 'survived' : `killed by ${killer}`}: ${file}:${line}: ${from} → ${to}`)
      }
    } finally {
      rmSync(copy.dir, { recursive: true, force: true })
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return results
}

/**
 * Returns the score of a sample.
 * @param {Result[]} results
 */
export function score (results) {
  const killed = results.filter(({ killer }) => killer !== null).length
  return { killed, share: killed / results.length }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seed: { type: 'string' }, count: { type: 'string' }, part: { type: 'string' } }
  })
  const results = await runMutants({
    ...values.seed && { seed: Number(values.seed) },
    ...values.count && { count: Number(values.count) },
    part: values.part,
    files: positionals.map(path => relative(project, path))
  }, console.log)
  const { killed, share } = score(results)
  console.log(`killed ${killed} of ${results.length} mutants (${Math.round(100 * share)} %)`)
}
