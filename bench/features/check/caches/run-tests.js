/**
 * Program that runs the tests of the package http-cache-tests against one cache and prints the results as JSON.
 * HOPBENCH_CACHE_TESTS: { folder: of the package, base: URL of the cache }
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { folder, base } = JSON.parse(process.env.HOPBENCH_CACHE_TESTS ?? '{}')
const load = (/** @type {string} */ file) => import(pathToFileURL(join(folder, file)).href)

const { runTests, getResults } = await load('client/runner.mjs')
const suites = [...(await load('tests/index.mjs')).default, (await load('tests/surrogate-control.mjs')).default]
await runTests(suites, fetch, false, base)
const results = getResults()
const tests = suites.flatMap(suite => suite.tests
  .filter((/** @type {any} */ { id }) => id in results)
  .map((/** @type {any} */ { id, name, kind = 'required', depends_on: needs = [] }) => {
    const result = results[id]
    return {
      id,
      name,
      topic: suite.name,
      kind,
      needs,
      passed: result === true,
      ...result !== true && { saw: String(result[1]), setup: result[0] === 'Setup' }
    }
  }))
process.stdout.write(JSON.stringify(tests), () => process.exit(0))
