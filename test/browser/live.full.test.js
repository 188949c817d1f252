// @ts-check
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from '../support/tap.js'
import { writeEntrance } from '../../bench/features/serve/token.js'
import { browserFor, openPage } from '../support/browser.js'
import { listening } from '../support/listening.js'
import { serveFor } from '../support/serve.js'

/** @import { Test } from 'tap' */

const browser = await browserFor(t)
if (browser) {
  /** @param {Test} t */
  const results = t => {
    const dir = join(t.testdir({}), 'results')
    mkdirSync(dir)
    return dir
  }

  t.test('from a click to a verdict, and another run beside it', { timeout: 170_000 }, async t => {
    const { entrance } = await serveFor(t, { resultsDir: results(t) })
    const { page, complaints } = await openPage(t, browser, entrance, { viewport: { width: 1280, height: 900 } })
    await page.locator('#experiment').selectOption('uds')
    t.equal(await page.locator('input[name=words]').inputValue(), 'uds')
    for (const front of ['', 'nginx:uds']) {
      await page.locator('#server').selectOption('http-json')
      await page.locator('#front').selectOption(front)
      await page.locator('#add').click()
    }
    t.equal(await page.locator('input[name=words]').inputValue(), 'http-json nginx:uds/http-json')
    t.equal(await page.locator('#experiment').inputValue(), '')
    for (const seed of ['1', '2']) {
      if (seed === '1') await page.locator('#order summary').click()
      await page.locator('input[name=budget]').fill('1s')
      await page.locator('input[name=seed]').fill(seed)
      await page.locator('#go').click()
      await page.locator('#stop').waitFor({ state: 'visible' })
      t.equal(await page.locator('#go').isDisabled(), true, 'one run at a time')
      // A noisy machine may lose trials, and a run of a few seconds may decide nothing: its report is there all the
      // same.
      await page.locator('#verdict a').waitFor({ timeout: 80_000 })
      t.equal(await page.locator('#arms tr').count(), 2, 'the two arms')
      t.match(await page.locator('#arms').innerText(), /http-json/)
      t.equal(await page.locator('#chart canvas').count(), 1)
      t.equal(await page.locator('#stop').isVisible(), false)
    }
    await page.locator('#runs li').nth(1).waitFor()
    t.match(await page.locator('#runs li a').first().innerText(), /^nginx:uds\/http-json against http-json/)
    t.equal(await page.locator('#compare').isDisabled(), true)
    for (const box of await page.locator('input[name=run]').all()) await box.check()
    await page.locator('#compare').click()
    await page.locator('#changes summary').first().click()
    t.match(await page.locator('#changes').innerText(), /nginx:uds\/http-json/)
    await page.goBack()
    await page.locator('#runs li a').first().click()
    t.match(await page.locator('h1').innerText(), /http-json/, 'the report')
    t.equal(await page.locator('#topologies .chain').count(), 2)
    t.strictSame(complaints, [])
  })

  t.test('--open leads in by a file, and a page of another origin reads nothing', async t => {
    const { url, entrance, port } = await serveFor(t, { resultsDir: results(t) })
    const file = writeEntrance(t.testdir({}), entrance)
    const context = await browser.newContext()
    t.teardown(() => context.close())
    const page = await context.newPage()
    await page.goto(`file://${file}`)
    await page.locator('#found').waitFor()
    t.equal(page.url(), `${url}/`)
    const stranger = await listening(t, createServer((_, response) => response.end('<a href="#">x</a>')))
    await page.goto(`http://localhost:${stranger}`)
    const status = await page.evaluate(async port => {
      const image = document.body.appendChild(document.createElement('img'))
      const loads = new Promise(resolve =>
        Object.assign(image, { onload: () => resolve('loaded'), onerror: () => resolve('refused') }))
      image.src = `http://127.0.0.1:${port}/history`
      const fetched = fetch(`http://127.0.0.1:${port}/history`, { credentials: 'include' })
      return [await loads, await fetched.then(() => 'read', () => 'refused')]
    }, port)
    t.strictSame(status, ['refused', 'refused'])
    const [answer] = await Promise.all([
      page.waitForResponse(response => response.url().startsWith(url)),
      page.evaluate(url => { window.location.href = url }, `${url}/history`)
    ])
    t.equal(answer.status(), 403, 'nor does it lead there')
  })

  t.test('a run is stopped, and what cannot be run is reported', { timeout: 120_000 }, async t => {
    const { entrance, jobs } = await serveFor(t, { resultsDir: results(t) })
    const telephone = /** @type {const} */ ({ viewport: { width: 360, height: 800 }, colorScheme: 'dark' })
    const { page } = await openPage(t, browser, entrance, telephone)
    await page.locator('input[name=words]').fill('./app.js')
    await page.locator('#go').click()
    await page.locator('#said', { hasText: './app.js' }).waitFor()
    await page.locator('input[name=words]').fill('http-jsom')
    await page.locator('#go').click()
    await page.locator('#stage', { hasText: 'Did you mean "http-json"?' }).waitFor()
    await page.locator('input[name=words]').fill('http-json')
    await page.keyboard.press('Enter')
    await page.locator('#arms tr').first().waitFor({ timeout: 60_000 })
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true,
      'nothing sticks out of a telephone')
    await page.locator('#stop').click()
    await page.locator('#verdict a').waitFor({ timeout: 60_000 })
    t.equal(jobs.isRunning(), false)
    t.match(await page.locator('#found').innerText(), /^1 run$/)
  })
}
