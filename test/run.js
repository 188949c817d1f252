/**
 * `npm test`: lint, types and all tests, whichever of them fails. Arguments choose test files or
 * folders: `npm test -- test/unit`. The last line is tap's count of assertions.
 */
import { execa } from 'execa'
import { fileURLToPath } from 'node:url'
import { describeTotals, reportTap } from './report.js'

const project = fileURLToPath(new URL('..', import.meta.url))
const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`)

/**
 * @param {string[]} args test files and folders; none: all
 * @returns {Promise<number>} exit code
 */
export async function main (args) {
  const lint = await step('lint', ['eslint', '.'])
  // What runs in a browser is checked against a browser's types.
  const types = await steps(['.', 'bench/page/browser', 'bench/serve/browser', 'test/browser'].map(folder => [`types of ${folder}`, ['tsc', '--noEmit', '-p', folder]]))
  const { ok, totals } = await tests(args)
  // Alone on the last line, whoever reads it: what was skipped stands above it, with its reason.
  say(describeTotals({ ...totals, skipped: 0 }))
  return lint && types && ok ? 0 : 1
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
  const { failed, all, durationMs } = await execa(argv[0], argv.slice(1), { cwd: project, preferLocal: true, reject: false, all: true, stdin: 'ignore' })
  say(`${name} ${failed ? 'FAILED' : 'ok'} (${(durationMs / 1000).toFixed(1)} s)`)
  if (failed) say(all)
  return !failed
}

/**
 * @param {string[]} args
 * @returns {Promise<{ ok: boolean, totals: import('./report.js').Totals }>}
 */
async function tests (args) {
  say(`tests${args.length > 0 ? `: ${args.join(' ')}` : ''}`)
  const { parser, totals } = reportTap(say)
  const tap = execa('tap', ['run', '--reporter=tap', ...args], {
    cwd: project, preferLocal: true, reject: false, buffer: false, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit'
  })
  for await (const chunk of tap.iterable({ preserveNewlines: true })) parser.write(chunk)
  parser.end()
  const { exitCode } = await tap
  const found = totals()
  if (!found) say(`tests FAILED: tap ended (${exitCode ?? 'by a signal'}) without its totals`)
  else if (found.passed + found.failed === 0) say('tests FAILED: no test was executed')
  else say(`tests ${exitCode === 0 ? 'ok' : 'FAILED'}${found.skipped > 0 ? `, ${found.skipped} skipped` : ''}`)
  const counted = found ?? { passed: 0, failed: 0, skipped: 0 }
  return { ok: exitCode === 0 && counted.passed + counted.failed > 0, totals: counted }
}
