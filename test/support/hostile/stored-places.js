/** Places at which stored results are read: runs, sizings, suites and checks. */
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import pc from 'picocolors'
import { compareRuns } from '../../../bench/judge/runs/compare-runs.js'
import { createHistory } from '../../../bench/features/serve/app.js'
import { textsOfComparison, textsOfRun } from '../../../bench/features/compare/formats.js'
import { HopbenchError } from '../../../bench/errors.js'
import { answersText } from '../../../bench/features/publish/answers-text.js'
import { claimsPage } from '../../../bench/features/publish/claims-page.js'
import { printReport } from '../../../bench/report/terminal.js'
import comparisonKind from '../../../bench/features/compare/kind.js'
import { suiteLine, suiteSummary } from '../../../bench/features/run/suite.js'
import { fileName } from '../../../bench/measure/kept-files.js'
import { pluginNames } from '../../../bench/plan/plugins.js'
import { readCheck, writeCaches } from '../../../bench/store/check-results.js'
import { reopenSuite } from '../../../bench/store/store.js'
import { answers } from '../../../bench/features/publish/answers.js'
import { publishedExperiments } from '../../../bench/features/publish/best-runs.js'
import { makeKit } from '../../../bench/features/deploy/kit/deploy-kit.js'
import { pageOf } from '../../../bench/run/report-file.js'
import { armFrom, planFrom } from '../../../bench/request/request.js'
import { storedRun } from '../../../bench/run/stored-run.js'
import { APP_WORD, runExamples, sizedExample, suite } from './examples.js'
import { mutate, pathsIn, spoil, toJson } from './mutate.js'
import { renderBrief, renderText } from '../rendered.js'

/** @import { Output } from './checks.js' */
/** @import { Random } from './mutate.js' */
/** @import { Sandbox } from './sandbox.js' */
/** @import { RunExample } from './examples.js' */

/**
 * @typedef {{ mutation: string, read: () => Promise<Output> }} Case mutation: the mutation, in one line; read: reads
 *   the
 * hostile input
 */
/**
 * @typedef {{ share: number, make: (random: Random, sandbox: Sandbox) => Case }} Place share: relative frequency of its
 * cases
 */

const COLUMNS = 80
const KIT_TARGETS = ['docker', 'heroku', 'render', 'fly', 'systemd']

/** Examples with the paths of their parts, computed once. @type {{ run: RunExample, paths: string[][] }[]} */
let examples

/** Returns the examples, and makes them first if necessary. */
function getExamples () {
  examples ??= runExamples().map(run => ({ run, paths: pathsIn(run.record) }))
  return examples
}

/**
 * Returns the texts of the files of a run by name.
 * @param {RunExample} run
 * @returns {Record<string, string>}
 */
const toFiles = ({ record, plan, samples }) => ({
  'run.json': toJson(record),
  'plan.json': toJson(plan),
  'samples.jsonl': samples.map(line => `${toJson(line)}\n`).join('')
})

/**
 * Makes a stored run with hostile parts.
 * @param {Random} random
 * @returns {{ mutation: string, files: Record<string, string> }}
 */
function makeRun (random) {
  const { run, paths } = random.pick(getExamples())
  if (random.chance(0.05)) return damage(random, toFiles(run))
  if (random.chance(0.2)) {
    const { value, mutation } = mutate(random, run.plan)
    const record = { ...run.record, plan: value }
    return { mutation: `plan.json: ${mutation}`, files: toFiles({ ...run, plan: value, record }) }
  }
  if (run.samples.length > 0 && random.chance(0.2)) {
    const at = random.below(run.samples.length)
    const { value, mutation } = mutate(random, run.samples[at])
    const samples = run.samples.with(at, value)
    return { mutation: `samples.jsonl ${at + 1}: ${mutation}`, files: toFiles({ ...run, samples }) }
  }
  const { value, mutation } = mutate(random, run.record, paths)
  return { mutation: `run.json: ${mutation}`, files: toFiles({ ...run, record: value }) }
}

/**
 * Cuts off the text of a file, or inserts a hostile text.
 * @param {Random} random
 * @param {Record<string, string>} files
 */
function damage (random, files) {
  const name = random.pick(Object.keys(files))
  const text = files[name]
  const at = random.below(text.length + 1)
  const damaged = random.chance(0.5) ? text.slice(0, at) : spoil(random, text)
  return { mutation: `${name} is damaged at ${at}`, files: { ...files, [name]: damaged } }
}

/**
 * Readers of a stored run, by name.
 * @type {Record<string, (sandbox: Sandbox) => Promise<Output>>}
 */
const READERS = {
  text: async ({ run }) => {
    const { record } = await storedRun(run)
    return { printed: [renderText(record, { columns: COLUMNS, dir: run })] }
  },
  brief: async ({ run }) => {
    const { record } = await storedRun(run)
    return { printed: [renderBrief(record, { columns: COLUMNS, dir: run })] }
  },
  exports: async ({ run, results }) => {
    const texts = textsOfRun({ ...await storedRun(run), resultsDir: results })
    const made = [await texts.markdown(), await texts.comment(), await texts.junit()]
    const others = ['json', 'csv', 'samples', 'users', 'badge', 'bencher', 'benchmark-action']
    for (const format of others) await tolerant(texts[format])
    return { pages: made }
  },
  page: async ({ run, results }) => {
    const texts = textsOfRun({ ...await storedRun(run), resultsDir: results })
    return { pages: [String(await texts.html()), await tolerant(texts.svg)] }
  },
  compare: async ({ run }) => {
    const other = { ...getExamples()[0].run, configs: {} }
    const stored = await storedRun(run)
    const both = [compareRuns(stored, other), compareRuns(other, stored)]
    return {
      printed: both.map(comparison => printReport(comparison, comparisonKind, { columns: COLUMNS })),
      pages: [String(await textsOfComparison(both[0]).markdown())]
    }
  },
  comparisonPage: async ({ run }) => {
    const texts = textsOfComparison(compareRuns({ ...getExamples()[0].run, configs: {} }, await storedRun(run)))
    return { pages: [String(await texts.html()), await tolerant(texts.svg)] }
  },
  resume: async ({ run }) => {
    const { plan } = await planFrom([], { lab: true, resume: run })
    for (const { name, topology, load } of plan.arms) {
      // eslint-disable-next-line no-control-regex
      const isUnsafe = /[\0-\x1f]/.test(name + load.path) || !resolve(run, fileName(name)).startsWith(run + sep)
      if (isUnsafe) throw new Error(`the arm ${JSON.stringify(name)} is started`)
      const server = topology.server?.name
      if (server && !pluginNames('server').includes(server)) throw new Error(`the server ${server} is started`)
    }
    return {}
  },
  answers: async ({ results }) => ({
    printed: [answersText(await answers([results]), { columns: COLUMNS, colors: pc.createColors(false) })]
  }),
  claims: async ({ results }) => {
    const page = claimsPage(await publishedExperiments(results))
    return { printed: [page], pages: [page] }
  },
  history: async ({ results }) => {
    const { entries } = await createHistory(results)({})
    if (entries.length !== 1) throw new Error(`${entries.length} entries`)
    return {}
  }
}
/** Names of readers to draw from. Pages are slow, so texts are more frequent. */
const OFTEN = ['text', 'text', 'text', 'exports', 'compare', 'resume', 'resume', 'history', 'page', 'comparisonPage',
  'answers', 'claims']

/**
 * Returns an export, or an empty text if the run has nothing to export in this format.
 * @param {() => string | Promise<string>} write
 */
async function tolerant (write) {
  try {
    return await write()
  } catch (error) {
    if (error instanceof HopbenchError && ['no-users', 'nothing-to-draw'].includes(error.code)) return ''
    throw error
  }
}

/** Returns a run whose page has a section of the check. */
const getStaticRun = () => getExamples().map(({ run }) => run)
  .find(({ record }) => record.experiment === 'static-html') ?? getExamples()[0].run

/**
 * Reads a JSON file of results/reference.
 * @param {string} file
 * @returns {any}
 */
const readReference = file =>
  JSON.parse(readFileSync(new URL(`../../../results/reference/${file}`, import.meta.url), 'utf8'))

/** Kits of the valid sizing by target. @type {Map<string, Promise<Record<string, string>>>} */
const cleanKits = new Map()

/**
 * Makes a kit from the sizing in the run's folder.
 * @param {Sandbox} sandbox
 * @param {string} target
 * @returns {Promise<Record<string, string>>} texts of its files by name
 */
async function kitFrom ({ run, project }, target) {
  const arm = await armFrom(APP_WORD, { connections: 100, path: '/' })
  rmSync(join(project, 'deploy'), { recursive: true, force: true })
  const { files } = await makeKit(arm, { target, out: './deploy', from: run, trustRun: true })
  return Object.fromEntries(files.map(file => [file, readFileSync(join(project, 'deploy', file), 'utf8')]))
}

/** @type {Record<string, Place>} */
export const storedPlaces = {
  'stored runs': {
    share: 44,
    make (random, sandbox) {
      const { mutation, files } = makeRun(random)
      const reader = random.pick(OFTEN)
      return {
        mutation: `${reader}: ${mutation}`,
        read () {
          sandbox.write(sandbox.run, files)
          return READERS[reader](sandbox)
        }
      }
    }
  },
  'sizings for kits': {
    share: 12,
    make (random, sandbox) {
      const valid = sizedExample()
      const isSizing = (/** @type {string[]} */ path) => ['sizing', 'run', 'environment'].includes(path[0])
      const { value, mutation } = mutate(random, valid.record, pathsIn(valid.record).filter(isSizing))
      const target = random.pick(KIT_TARGETS)
      return {
        mutation: `${target}: ${mutation}`,
        async read () {
          if (!cleanKits.has(target)) {
            sandbox.write(sandbox.run, toFiles(valid))
            cleanKits.set(target, kitFrom(sandbox, target))
          }
          const clean = await /** @type {Promise<Record<string, string>>} */ (cleanKits.get(target))
          sandbox.write(sandbox.run, toFiles({ ...valid, record: value }))
          return { scripts: { files: await kitFrom(sandbox, target), clean } }
        }
      }
    }
  },
  suites: {
    share: 3,
    make (random, sandbox) {
      const { value, mutation } = mutate(random, suite)
      return {
        mutation,
        async read () {
          sandbox.write(sandbox.run, { 'suite.json': toJson(value) })
          const { record, dir } = await reopenSuite(sandbox.run)
          const lines = record.entries.map(entry => suiteLine(entry, 10))
          return { printed: [...lines, suiteSummary(record, { dir, seconds: 3 })] }
        }
      }
    }
  },
  checks: {
    share: 3,
    make (random, sandbox) {
      const file = random.pick(['check.json', 'caches.json'])
      const { value, mutation } = mutate(random, readReference(file))
      return {
        mutation: `${file}: ${mutation}`,
        async read () {
          sandbox.write(sandbox.run, { [file]: toJson(value) })
          if (file === 'caches.json') {
            await writeCaches({ schema: 1, tests: 'x', seconds: 1, caches: [] }, sandbox.run)
            return {}
          }
          await readCheck(sandbox.run)
          const { record, samples } = getStaticRun()
          return { pages: [await pageOf({ record, samples, dir: sandbox.run, resultsDir: sandbox.run })] }
        }
      }
    }
  }
}
