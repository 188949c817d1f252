import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openBrowser, openPage } from '../support/browser.js'
import { serveFor } from '../support/serve.js'

const found = await openBrowser()
if ('why' in found) {
  t.pass('no browser', { skip: found.why })
} else {
  const { browser } = found
  t.teardown(() => browser.close())

  /** @param {import('tap').Test} t */
  const results = t => {
    const dir = join(t.testdir({}), 'results')
    mkdirSync(dir)
    return dir
  }

  t.test('from a click to a verdict, and another run beside it', { timeout: 170_000 }, async t => {
    const { url } = await serveFor(t, { resultsDir: results(t) })
    const { page, complaints } = await openPage(t, browser, url, { viewport: { width: 1280, height: 900 } })
    for (const seed of ['1', '2']) {
      await page.locator('input[name=words]').fill('http-json nginx:uds/http-json')
      if (seed === '1') await page.locator('#order summary').click()
      await page.locator('input[name=budget]').fill('15s')
      await page.locator('input[name=seed]').fill(seed)
      await page.locator('#go').click()
      await page.locator('#stop').waitFor({ state: 'visible' })
      t.equal(await page.locator('#go').isDisabled(), true, 'one run at a time')
      // A noisy machine may lose trials, and a run of a few seconds may decide nothing: its report is there all the same.
      await page.locator('#verdict a').waitFor({ timeout: 80_000 })
      t.equal(await page.locator('#arms tr').count(), 3, 'two arms, and the one that runs twice')
      t.match(await page.locator('#arms').innerText(), /http-json/)
      t.equal(await page.locator('#chart canvas').count(), 1)
      t.equal(await page.locator('#stop').isVisible(), false)
    }
    await page.locator('#runs li').nth(1).waitFor()
    t.equal(await page.locator('#compare').isDisabled(), true)
    for (const box of await page.locator('input[name=run]').all()) await box.check()
    await page.locator('#compare').click()
    await page.locator('#comparison table').first().waitFor()
    t.match(await page.locator('#comparison').innerText(), /nginx:uds\/http-json/)
    await page.locator('#verdict a').click()
    t.match(await page.locator('h1').innerText(), /http-json/, 'the report')
    t.equal(await page.locator('#topologies .chain').count(), 2)
    t.strictSame(complaints, [])
  })

  t.test('a run is stopped, and what cannot be run is told', { timeout: 120_000 }, async t => {
    const { url, jobs } = await serveFor(t, { resultsDir: results(t) })
    const { page } = await openPage(t, browser, url, { viewport: { width: 360, height: 800 }, colorScheme: 'dark' })
    await page.locator('input[name=words]').fill('./app.js')
    await page.locator('#go').click()
    await page.locator('#said', { hasText: 'names a file' }).waitFor()
    await page.locator('input[name=words]').fill('http-jsom')
    await page.locator('#go').click()
    await page.locator('#stage', { hasText: 'Did you mean "http-json"?' }).waitFor()
    await page.locator('input[name=words]').fill('http-json')
    await page.keyboard.press('Enter')
    await page.locator('#arms tr').first().waitFor({ timeout: 60_000 })
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true, 'nothing sticks out of a telephone')
    await page.locator('#stop').click()
    await page.locator('#verdict a').waitFor({ timeout: 60_000 })
    t.equal(jobs.isRunning(), false)
    t.match(await page.locator('#found').innerText(), /^1 run$/)
  })
}
