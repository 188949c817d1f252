/** Debian's Chromium, fetched into the cache like every other program and controlled with Playwright. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { findTool } from '../../bench/machine/tools.js'
import { skipWithout } from './needs.js'

/** @import { Tool } from '../../bench/machine/types.js' */
/** @import { Browser, BrowserContextOptions } from 'playwright-core' */
/** @import { Test } from 'tap' */

/** The binary. The package's script in /usr/bin works only where the package is installed. */
const PROGRAM = 'usr/lib/chromium/chromium'

/**
 * Opens a browser for all tests of a file. Without Chromium the file is skipped.
 * @param {Test} t
 * @returns {Promise<Browser | null>}
 */
export async function browserFor (t) {
  const skip = skipWithout('browser')
  if (skip) {
    t.pass('no browser', { skip })
    return null
  }
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  return browser
}

/** @returns {Promise<Browser>} */
async function openBrowser () {
  const tool = await findTool({ program: 'chromium', packages: { debian: ['chromium'] } })
  const unpacked = join(tool.root, PROGRAM)
  return chromium.launch({
    executablePath: existsSync(unpacked) ? unpacked : tool.path,
    // An account without a home folder has nowhere to keep a profile.
    env: { PATH: process.env.PATH ?? '', ...tool.env, HOME: tmpdir() },
    // Containers may not allow Chromium's sandbox, and the browser opens only pages of this project.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
  })
}

/**
 * Opens a page in a new profile and collects its errors, warnings and requests to other origins.
 * @param {Test} t
 * @param {Browser} browser
 * @param {string} url
 * @param {BrowserContextOptions} [options]
 */
export async function openPage (t, browser, url, options) {
  const context = await browser.newContext(options)
  t.teardown(() => context.close())
  const page = await context.newPage()
  /** @type {string[]} */
  const complaints = []
  page.on('console', message => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()) })
  page.on('pageerror', error => { complaints.push(error.message) })
  // Pages load nothing from another origin.
  page.on('request', request => {
    if (!request.url().startsWith('data:') && new URL(request.url()).origin !== new URL(url).origin) {
      complaints.push(`requested ${request.url()}`)
    }
  })
  await page.goto(url)
  return { page, complaints }
}
