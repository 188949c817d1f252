// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '../support/tap.js'
import { printRecord } from '../../bench/report/facts/facts.js'
import { PROJECT } from '../../bench/plan/plugins.js'
import { browserFor, openPage } from '../support/browser.js'
import { makeArm, makeRecord, makeSample } from '../support/record.js'
import { findReference } from '../support/reference-runs.js'
import { atRates, sizing } from '../support/sizing.js'
import { renderPage } from '../support/rendered-page.js'

/** @import { BrowserContextOptions, Page } from 'playwright-core' */
/** @import { Test } from 'tap' */

const browser = await browserFor(t)
if (browser) {
  const series = Array.from({ length: 30 },
    (_, i) => ({ second: i + 1, rate: 2000 - i * 30, errors: 0, timeWait: i * 900 }))
  const record = makeRecord({
    arms: [...makeRecord().arms,
      makeArm({ name: 'a name that is longer than any phone is wide, with a margin', series })],
    warnings: [{ code: 'governor-powersave', params: {} }]
  })
  const samples = record.arms.flatMap(({ name, rps }) =>
    Array.from({ length: 30 }, (_, block) =>
      makeSample({ arm: name, block, rps: (rps?.median ?? 0) * (1 + (block % 7 - 3) / 100) }))
  )
  const config = 'worker_processes 1;\nevents { worker_connections 512; }\n'
  const dir = t.testdir({})
  const file = join(dir, 'report.html')
  writeFileSync(file,
    renderPage({ record, samples, configs: [{ name: 'uds', file: 'nginx.conf', text: config }], check: null }))

  /**
   * @param {Test} t
   * @param {BrowserContextOptions} options
   */
  const open = (t, options) => openPage(t, browser, pathToFileURL(file).href, { acceptDownloads: true, ...options })

  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    for (const width of [360, 1920]) {
      t.test(`shows legible charts without horizontal scrolling at ${width} pixels, ${colorScheme}`, async t => {
        const { page, complaints } = await open(t, { viewport: { width, height: 800 }, colorScheme })
        t.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true,
          'no horizontal scrolling')
        for (const id of ['ratios', 'rates', 'costs', 'series']) {
          const [shown, hidden] = width < 600 ? ['.narrow', '.wide'] : ['.wide', '.narrow']
          t.equal(await page.locator(`#${id} ${shown} svg`).first().isVisible(), true, `${id} is drawn`)
          t.equal(await page.locator(`#${id} ${hidden} svg`).first().isVisible(), false, 'only for this width')
          const texts = page.locator(`#${id} ${shown} svg text`)
          t.ok(
            await texts.evaluateAll(all =>
              all.every(text => parseFloat(window.getComputedStyle(text).fontSize) >= 11)
            ),
            'legible font size'
          )
        }
        const [ink, paper] = await page.evaluate(
          () => [window.getComputedStyle(document.body).color, window.getComputedStyle(document.body).backgroundColor]
        )
        t.ok(computeContrast(ink, paper) > 7, `${ink} on ${paper}`)
        t.strictSame(complaints, [])
      })
    }
  }

  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    t.test(`a chart in a file of its own has sufficient contrast, ${colorScheme}`, async t => {
      const chart = pathToFileURL(join(PROJECT, 'docs', 'answers', 'transport.svg')).href
      const { page } = await openPage(t, browser, chart, { colorScheme })
      const paper = await page.locator('rect').first().evaluate(rect => window.getComputedStyle(rect).fill)
      const inks = await page.locator('text').evaluateAll(all => all.map(text => window.getComputedStyle(text).fill))
      t.ok(inks.length > 0)
      for (const ink of new Set(inks)) t.ok(computeContrast(ink, paper) > 7, `${ink} on ${paper}`)
    })
  }

  /**
   * Opens the page of a record on a phone and on a large screen, and finds its charts and tables.
   * @param {Test} t
   * @param {Parameters<typeof renderPage>[0]} stored
   * @param {{ charts: string[], tables: string[] }} ids of the sections
   * @param {(page: Page) => Promise<void>} [more]
   */
  const showsOnEachScreen = async (t, stored, { charts, tables }, more = async () => {}) => {
    const file = join(t.testdir({}), 'page.html')
    writeFileSync(file, renderPage(stored))
    for (const width of [360, 1920]) {
      const { page, complaints } = await openPage(t, browser, pathToFileURL(file).href, {
        viewport: { width, height: 800 }
      })
      t.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true,
        `no horizontal scrolling at ${width}`)
      const drawings = charts.map(id => `#${id} ${width < 600 ? '.narrow' : '.wide'} svg`)
      for (const part of [...drawings, ...tables.map(id => `#${id} table`)]) {
        t.equal(await page.locator(part).isVisible(), true, `${part} is visible`)
      }
      await more(page)
      t.strictSame(complaints, [])
    }
  }

  t.test('shows the charts and tables of users on a phone and on a large screen', async t => {
    const users = Array.from({ length: 30 }, (_, i) =>
      ({ second: i + 1, users: Math.min(6000, (i + 1) * 300), rps: 2000, failures: i % 3, p50: 12, p95: 90 }))
    const arm = {
      users,
      failures: [{ kind: "HTTPConnectionClosed('connection closed.')", count: 29 }],
      errorLog: [{ text: '[warn] 1024 worker_connections are not enough, reusing connections', count: 21 }]
    }
    const spec = 'nginx+connections=10240+keepalive_requests=1000000+keepalive_timeout=300s/files'
    const arms = ['default 2000', 'tuned 6000'].map(name => makeArm({ name, spec, series, ...arm }))
    const record = makeRecord({
      experiment: 'users', protocol: 'series', arms, contrasts: [], claims: [], noiseFloor: null
    })
    const samples = arms.map(({ name }) => makeSample({ arm: name, ...arm }))
    await showsOnEachScreen(t, { record, samples, configs: [], check: null }, {
      charts: ['users', 'users-rate', 'users-p50', 'users-p95', 'users-failures'], tables: ['saw', 'failures']
    }, async page => {
      t.match(await page.locator('#error-log').innerText(), /worker_connections are not enough/)
    })
  })

  t.test('shows curve, offerings and trials of a sizing on a phone and on a large screen', async t => {
    const record = makeRecord({
      experiment: 'size', protocol: 'rates', arms: atRates, contrasts: [], claims: [], noiseFloor: null, sizing
    })
    await showsOnEachScreen(t, { record, samples: [], configs: [], check: null }, {
      charts: ['load'], tables: ['capacity', 'plans', 'trials']
    })
  })

  t.test('fits answer, recommendation and chart of uds on one screen', async t => {
    const uds = JSON.parse(readFileSync(join(await findReference('uds'), 'run.json'), 'utf8'))
    writeFileSync(join(dir, 'uds.html'), renderPage({ record: uds, samples: [], configs: [], check: null }))
    const height = 900
    const url = pathToFileURL(join(dir, 'uds.html')).href
    const { page, complaints } = await openPage(t, browser, url, { viewport: { width: 1280, height } })
    for (const part of ['#answer', '.recommended', '#ratios .wide svg']) {
      const box = await page.locator(part).first().boundingBox()
      t.ok(box && box.y >= 0 && box.y + box.height <= height, `${part}: ${JSON.stringify(box)}`)
    }
    t.strictSame(complaints, [])
  })

  t.test('draws every trial, and distinguishes verdicts by shape', async t => {
    const { page } = await open(t, { viewport: { width: 1280, height: 800 } })
    const points = await page.locator('#rates .wide path[stroke-linecap=round]').evaluateAll(paths =>
      paths.map(path => (path.getAttribute('d') ?? '').split('M').length - 1)
    )
    t.ok(points.some(count => count > 100), `${points}`)
    const shapes = await page.locator('#ratios .wide g[data-mark=dot] path').evaluateAll(paths =>
      new Set(paths.map(path => path.getAttribute('transform')?.replace(/translate\([^)]*\)/, ''))).size
    )
    t.ok(shapes >= 2, 'faster points to the right, slower to the left')
  })

  t.test('reaches every control by keyboard', async t => {
    const { page } = await open(t, { viewport: { width: 1280, height: 800 } })
    /** @type {Set<string>} */
    const reached = new Set()
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab')
      reached.add(
        await page.evaluate(() =>
          document.activeElement?.getAttribute('data-download') ??
            document.activeElement?.getAttribute('data-copy') ?? document.activeElement?.tagName ?? ''
        )
      )
    }
    for (const wanted of ['record', 'samples', 'config-0', 'SUMMARY', 'A']) t.ok(reached.has(wanted), wanted)
    const numbers = page.locator('#ratios details')
    await numbers.locator('summary').focus()
    await page.keyboard.press('Enter')
    t.equal(await numbers.locator('table').isVisible(), true)
  })

  t.test('copies a configuration, and saves the embedded record with the texts of its facts', async t => {
    const { page } = await open(t, {
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write']
    })
    await page.locator('[data-copy]').click()
    await page.locator('[data-copy]', { hasText: 'Copied' }).waitFor()
    t.equal(await page.evaluate(() => navigator.clipboard.readText()), config)
    const [saved] = await Promise.all([page.waitForEvent('download'), page.locator('[data-download=record]').click()])
    t.equal(saved.suggestedFilename(), `${record.run}.json`)
    const { answer, ...stored } = JSON.parse(readFileSync(await saved.path(), 'utf8'))
    t.match(answer.text, /^tcp serves /)
    t.strictSame(stored, JSON.parse(JSON.stringify(printRecord(record))))
  })

  t.test('prints no buttons on paper', async t => {
    const { page } = await open(t, {})
    await page.emulateMedia({ media: 'print' })
    t.equal(await page.locator('nav').isVisible(), false)
    t.equal(await page.locator('[data-copy]').isVisible(), false)
    t.equal(await page.locator('#ratios svg').first().isVisible(), true)
  })
}

/**
 * Computes the contrast of two colours (WCAG 2.2, relative luminance).
 * @param {string} first "rgb(27, 31, 36)"
 * @param {string} second
 */
function computeContrast (first, second) {
  const [light, dark] = [first, second].map(color => {
    const [r, g, b] = (color.match(/[\d.]+/g) ?? []).map(part => Number(part) / 255).map(part =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    )
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }).sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}
