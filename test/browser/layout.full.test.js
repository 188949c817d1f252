// @ts-check
/** Layout and accessibility of every kind of page, on a phone, a tablet and a laptop. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '../support/tap.js'
import { compareRuns } from '../../bench/judge/runs/compare-runs.js'
import { sectionsPage } from '../../bench/report/page/page.js'
import comparisonKind from '../../bench/features/compare/kind.js'
import { storedRun } from '../../bench/run/stored-run.js'
import { readCheck } from '../../bench/store/check-results.js'
import { REFERENCE_DIR } from '../../bench/store/store.js'
import { browserFor, openPage } from '../support/browser.js'
import { makeArm, makeRecord, makeSample } from '../support/record.js'
import { findReference } from '../support/reference-runs.js'
import { resultsFor, serveFor } from '../support/serve.js'
import { findFaults, findSerious, LAPTOP } from './page-faults.js'
import { renderPage } from '../support/rendered-page.js'

/** @import { RunRecord } from '../../bench/types.js' */

/** Widths in pixels. The last one is that of the checks of accessibility. */
const WIDTHS = [LAPTOP, 768, 390]
const HEIGHT = 844
/** Kinds of runs that have sections or charts of their own. */
const KINDS = ['uds', 'size', 'static-sizes', 'users', 'latency', 'worker-connections', 'time-wait', 'apache',
  'blog-cache', 'runtimes']

/** A run of an app with long words, many arms in its warnings, and its whole record. */
function createLongRecord () {
  const names = Array.from({ length: 16 }, (_, i) => `nginx:uds-keepalive+cache=5s+gzip/my-long-app-name-${i}@pm2:4`)
  return makeRecord({
    experiment: 'typed',
    question: `How do ${names.slice(0, 2).join(' and ')} compare with app-with-a-name-that-no-phone-can-show?`,
    arms: names.map(name => makeArm({ name, spec: name })),
    contrasts: [],
    claims: [],
    noiseFloor: null,
    warnings: [{ code: 'unproven-transport', params: { arms: names } }]
  })
}

/** @returns {Promise<Map<string, string>>} HTML by kind */
async function renderPages () {
  const check = await readCheck(REFERENCE_DIR)
  const configs = [{ name: 'uds', file: 'nginx.conf', text: `# ${'a long line '.repeat(20)}\n` }]
  const render = (/** @type {RunRecord} */ record) => renderPage({
    record,
    configs,
    check,
    samples: record.arms.map(({ name, rps }) => makeSample({ arm: name, rps: rps?.median ?? 0 }))
  })
  const runs = await Promise.all(KINDS.map(async kind => storedRun(await findReference(kind))))
  return new Map([
    ...runs.map(({ record }, i) => /** @type {[string, string]} */ ([KINDS[i], render(record)])),
    ['long names', render(createLongRecord())],
    ['comparison', sectionsPage(compareRuns(runs[0], runs[0]), comparisonKind, 'two runs')]
  ])
}

const browser = await browserFor(t)
if (browser) {
  const dir = t.testdir({})
  const shots = process.env.HOPBENCH_TEST_SCREENSHOTS

  /**
   * @param {import('tap').Test} t
   * @param {string} kind
   * @param {string} url
   */
  const inspect = async (t, kind, url) => {
    const { page } = await openPage(t, browser, url, { bypassCSP: true })
    await page.evaluate(() => { for (const details of document.querySelectorAll('details')) details.open = true })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT })
      if (shots) {
        const file = join(shots, `${kind.replace(/\W+/g, '-')}-${width}.png`)
        await page.screenshot({ path: file, fullPage: true })
      }
      t.strictSame(await findFaults(page), [], `${kind} at ${width}`)
    }
    t.strictSame(await findSerious(page), [], `${kind}: axe`)
    await page.context().close()
  }

  for (const [kind, html] of await renderPages()) {
    t.test(`the page of ${kind} has no faults of layout`, async t => {
      const file = join(dir, `${kind.replace(/\W+/g, '-')}.html`)
      writeFileSync(file, html)
      await inspect(t, kind, pathToFileURL(file).href)
    })
  }

  t.test('the live page has no faults of layout', async t => {
    const { entrance } = await serveFor(t, { resultsDir: resultsFor(t, ['2024-05-06T07-08-09Z-uds']) })
    await inspect(t, 'live', entrance)
  })
}
