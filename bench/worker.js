/**
 * Performs one task in a process of its own. Reads a request as JSON from standard input. Writes progress, and then the
 * result or the error, as lines of JSON to standard output (bench/run/call-worker.js). Standard error is a log.
 */
import { text } from 'node:stream/consumers'
import { toErrorData } from './errors.js'
import { runInside } from './machine/network/enclosure.js'
import { FEED } from './report/progress-feed.js'

/** @import { Tasks, WorkerEvent } from './tasks.js' */

/**
 * Tasks by name. Each is imported when it is called, because the process is started for one of them.
 * @type {{ [Name in keyof Tasks]: () => Promise<Tasks[Name]> }}
 */
const tasks = {
  run: async () => (await import('./run/run-request.js')).measureRun,
  config: async () => (await import('./features/own-config/run-config.js')).measureConfig,
  size: async () => (await import('./features/size/request.js')).measureSize,
  inspect: async () => (await import('./features/advise/inspect-app.js')).inspectApp,
  kit: async () => (await import('./features/deploy/kit/deploy-kit.js')).makeKitInWorker
}

/** @param {WorkerEvent} event */
const write = event => { process.stdout.write(`${FEED}${JSON.stringify(event)}\n`) }

/**
 * Performs the task that standard input names. In a PID namespace the task is performed by another worker, which writes
 * to the same standard output.
 *
 * @returns {Promise<number>} exit code
 */
export async function main () {
  const input = await text(process.stdin)
  /** @type {{ task: keyof Tasks, request: any, hasFeed: boolean }} */
  const { task, request, hasFeed } = JSON.parse(input)
  try {
    const perform = await tasks[task]()
    const result = await perform(request, {
      enclose: () => runInside(['--then', 'bench/worker.js'], { input }),
      feed: hasFeed ? process.stdout : null
    })
    if ('exit' in result) return result.exit
    if ('record' in result) {
      const { showPage } = await import('./run/show-record.js')
      await showPage(result.dir, { json: true, resultsDir: request.options.results })
    }
    write({ event: 'result', result })
    return 0
  } catch (error) {
    write({ event: 'error', error: toErrorData(error) })
    throw error
  }
}
