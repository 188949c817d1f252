/** The stored command of each failure, run against the wrong server and against a correct one. */
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from '../../support/tap.js'
import { onNoResponse } from '../../../bench/features/check/client.js'
import { fail, traced } from '../../../bench/features/check/outcome.js'
import { loadProbes } from '../../../bench/features/check/study.js'
import { makeSite, restoreSite } from '../../../bench/features/check/site.js'
import { loadPlugin } from '../../../bench/plan/plugins.js'
import { contextFor, isBare } from '../../support/probe-context.js'
import { tempFolder } from '../../support/temp.js'
import { unusual, wrong } from '../../support/wrong-servers.js'

/** @import { Context, Probe } from '../../../bench/features/check/types.js' */

const run = promisify(execFile)
const dir = tempFolder(t)
/** Most rounds in which a command with a correct server must show no failure once. */
const ROUNDS = 3
const RIGHT_IDLE_MS = 12_000 // Limit of idle connections, between that of a wrong server and that of the command.
/**
 * Probes that count open files, memory or CPU time of this process, or change a file at a moment of its download. No
 * other test runs beside them.
 */
const ALONE = ['aborted', 'slow-closed', 'head-open', 'not-modified-open', 'slow-reader', 'recompress', 'truncated',
  'grown']
/** Other probes at once. Their commands mostly wait for the end of a connection. */
const AT_ONCE = 4
const { default: createCorrect } = await loadPlugin('server', 'connect-static')

/**
 * Returns the numbers in the output of a command.
 * @param {string} text
 * @param {RegExp} pattern
 */
const numbers = (text, pattern) => (pattern.exec(text) ?? []).slice(1).map(Number)
const hasLeak = (/** @type {string} */ text) => {
  const [before, after] = numbers(text, /open files: (\d+) before, (\d+) after/)
  return after - before > 10
}
const tags = (/** @type {string} */ text) => [...text.matchAll(/^etag: (.*)$/gim)].map(([, tag]) => tag)

/** Whether the output of a command shows the failure. @type {Record<string, (text: string) => boolean>} */
const SHOWS = {
  aborted: hasLeak,
  'slow-closed': hasLeak,
  'head-open': hasLeak,
  'not-modified-open': hasLeak,
  'replaced-validator': text => tags(text).length === 2 && tags(text)[0] === tags(text)[1],
  truncated: text => numbers(text, /(\d+) of them not 0/)[0] > 0,
  idle: text => numbers(text, /closed after (\d+) s/)[0] <= 8,
  grown: text => numbers(text, /(\d+) bytes of body/)[0] > numbers(text, /content-length: (\d+)/i)[0],
  'absolute-form': text => !text.startsWith('HTTP/1.1 200'),
  'open-redirect': text => /^location: \/\/evil\.example/im.test(text),
  recompress: text => numbers(text, /gzip: (\d+)/)[0] > 2 * numbers(text, /identity: (\d+)/)[0]
}

/**
 * @param {string} command
 * @param {Context} context
 * @returns {Promise<string>} its output without dates
 */
async function execute (command, { address, site }) {
  const env = {
    ...process.env, URL: `http://${address.host}:${address.port}`, ROOT: site.root, PID: String(process.pid)
  }
  const { stdout } = await run('sh', ['-c', command], { env, encoding: 'latin1', maxBuffer: 2 ** 28, timeout: 60_000 })
    .catch(error => error)
  return String(stdout).replaceAll(/^date: .*\n/gim, '')
}

const isAlone = (/** @type {Probe} */ { name }) => ALONE.includes(name)
const probes = await loadProbes()

for (const probe of [...probes.filter(isAlone), ...probes.filter(probe => !isAlone(probe))]) {
  const handler = wrong[probe.name] ?? (probe.name === 'recompress' && unusual[probe.name])
  if (!handler) continue
  const buffered = !isAlone(probe)
  if (buffered) t.jobs = AT_ONCE
  t.test(`the command of a failure of ${probe.name} shows it, and not with a correct server`, { buffered }, async t => {
    const site = makeSite(mkdtempSync(join(dir, 'wrong-')))
    const context = await contextFor(t, (req, res) => handler(req, res, site.root), site, !isBare(probe.name))
    const { evidence, saw } = await traced(() =>
      probe.run(context).catch(onNoResponse(error => fail(error.message))))
    if (!evidence) return t.fail(`no evidence: ${saw}`)
    restoreSite(site)
    const output = await execute(evidence.command, context)

    const rightSite = makeSite(mkdtempSync(join(dir, 'right-')))
    const right = await contextFor(t, await createCorrect({ root: rightSite.root, options: {} }), rightSite, true,
      RIGHT_IDLE_MS)
    const shows = SHOWS[probe.name]
    let rightOutput = await execute(evidence.command, right)
    // Another process can raise the CPU time of a round, and not of each.
    for (let round = 1; round < ROUNDS && shows?.(rightOutput); round++) {
      rightOutput = await execute(evidence.command, right)
    }

    if (shows) {
      t.ok(shows(output), `${evidence.command}\n${output.slice(0, 500)}`)
      t.notOk(shows(rightOutput), rightOutput.slice(0, 500))
      return
    }
    t.not(output, rightOutput, evidence.command)
    const status = /^HTTP\/1\.1 \d+/.exec(evidence.response ?? '')?.[0]
    if (status) t.ok(output.includes(status), `${evidence.command}\n${output.slice(0, 500)}`)
  })
}
