// @ts-check
/** A site of stored runs on a phone and a laptop, in light and dark: layout, accessibility, filter and links. */
import { cpSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '../support/tap.js'
import { writeSite } from '../../bench/features/publish/site.js'
import { listRuns, REFERENCE_DIR } from '../../bench/store/store.js'
import { browserFor, openPage } from '../support/browser.js'
import { findFaults, findSerious, LAPTOP } from './page-faults.js'

const HEIGHT = 844
/** Experiments whose answers have a chart of ratios, a chart of lines, and none. */
const EXPERIMENTS = ['uds', 'size', 'time-wait', 'worker-connections', 'static-html']
/** Kind of machine under which runs are filed. Others are filed under none. */
const OF_MACHINE = /^intel/

const browser = await browserFor(t)
if (browser) {
  const dir = t.testdir({ results: {}, site: {} })
  for (const { dir: from, set, experiment } of await listRuns(REFERENCE_DIR)) {
    if (!EXPERIMENTS.includes(experiment ?? '') || (set && !OF_MACHINE.test(set))) continue
    cpSync(from, join(dir, 'results', relative(REFERENCE_DIR, from)), { recursive: true })
  }
  cpSync(join(REFERENCE_DIR, 'check.json'), join(dir, 'results', 'check.json'))
  await writeSite(join(dir, 'results'), join(dir, 'site'))
  const home = pathToFileURL(join(dir, 'site', 'index.html')).href
  const ofTransport = readdirSync(join(dir, 'site', 'runs')).filter(name => name.includes('-uds'))
  const pages = [['home', home], ['run', new URL(`runs/${ofTransport[0]}`, home).href],
    ...['sirv', 'fastify-static'].map(name => [name, new URL(`servers/${name}.html`, home).href])]
  const shots = process.env.HOPBENCH_TEST_SCREENSHOTS

  for (const [name, url] of pages) {
    t.test(`the page ${name} has no faults on a phone and a laptop, light and dark`, async t => {
      const { page, complaints } = await openPage(t, browser, url, { bypassCSP: true })
      await page.locator('#ratios, #runs, #badge').first().waitFor()
      await page.evaluate(() => { for (const details of document.querySelectorAll('details')) details.open = true })
      for (const width of [LAPTOP, 390]) {
        await page.setViewportSize({ width, height: HEIGHT })
        if (shots) await page.screenshot({ path: join(shots, `${name}-${width}.png`), fullPage: true })
        t.strictSame(await findFaults(page), [], `${width} pixels: layout`)
      }
      // Contrasts depend on the colours, and the layout does not.
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        await page.emulateMedia({ colorScheme })
        t.strictSame(await findSerious(page), [], `${colorScheme}: axe`)
      }
      t.strictSame(complaints, [], 'no error and no request')
    })
  }

  t.test('filters by question, machine and version, and keeps the selection in the address', async t => {
    const { page, complaints } = await openPage(t, browser, home)
    const count = (/** @type {string} */ selector) => page.locator(`${selector}:visible`).count()
    const all = { answers: await count('#answers > section'), runs: await count('#runs li') }
    await page.getByLabel('Question').selectOption('transport')
    await page.locator('#status', { hasText: `Answers: 1. Runs: ${ofTransport.length}.` }).waitFor()
    t.equal(await count('#answers > section'), 1)
    await page.getByLabel('Version').selectOption('Node 24.21.0')
    await page.waitForURL(/\?questions=transport&versions=Node\+24\.21\.0$/)
    const selected = await count('#runs li')
    t.ok(selected > 0 && selected < ofTransport.length)
    for (const text of await page.locator('#runs li:visible').allInnerTexts()) t.match(text, 'Node 24.21.0')
    await page.reload()
    await page.locator('#status', { hasText: `Answers: 1. Runs: ${selected}.` }).waitFor()
    t.equal(await count('#runs li'), selected, 'the address selects again')
    const machines = await page.locator('#runs li:visible').first().getAttribute('data-machines')
    await page.getByLabel('Machine').selectOption(JSON.parse(machines ?? '[]'))
    t.equal(await count('#runs li'), selected)
    await page.getByRole('button', { name: 'Show all' }).press('Enter')
    await page.locator('#status', { hasText: `Answers: ${all.answers}. Runs: ${all.runs}.` }).waitFor()
    t.strictSame({ answers: await count('#answers > section'), runs: await count('#runs li') }, all)
    t.strictSame(complaints, [])
  })

  t.test('opens the page of a server, and returns', async t => {
    const { page, complaints } = await openPage(t, browser, home)
    await page.locator('#static-server').getByRole('link', { name: 'Failures of each server' }).click()
    await page.locator('#servers').getByRole('link', { name: /^sirv / }).click()
    await page.locator('svg[role="img"]').waitFor()
    t.match(await page.locator('h1').innerText(), /^sirv \d/)
    await page.getByRole('link', { name: 'All answers' }).click()
    await page.locator('#servers').waitFor()
    t.strictSame(complaints, [])
  })

  t.test('opens the run behind an answer, and returns', async t => {
    const { page, complaints } = await openPage(t, browser, home)
    await page.locator('#transport .runs a').first().click()
    await page.locator('#ratios .wide svg').waitFor()
    t.match(page.url(), /\/runs\/.*-uds\.html$/)
    await page.goto(`${page.url().split('#')[0]}#environment`)
    await page.locator('#environment h2').waitFor()
    await page.getByRole('link', { name: 'All answers' }).click()
    await page.locator('#answers').waitFor()
    t.strictSame(complaints, [])
  })

  t.test('shows all answers and runs without JavaScript', async t => {
    const { page } = await openPage(t, browser, home, { javaScriptEnabled: false })
    t.equal(await page.locator('#filter').isVisible(), false)
    t.ok(await page.locator('#runs li').count() > EXPERIMENTS.length)
    await page.locator('#transport .runs a').first().click()
    t.match(await page.locator('#answer').innerText(), /\d/)
    t.match(await page.locator('main').innerText(), /need JavaScript/)
  })
}
