/** The run under way: started as a process of its own, followed line by line, stopped on demand. */
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../errors.js'
import { start, tailOf } from '../process.js'
import { readFeed } from '../report/progress-feed.js'
import { sentenceOf } from '../suite.js'

/** @typedef {import('../types.d.ts').Sample} Sample */
/** @typedef {import('../report/progress-feed.js').FeedEvent} FeedEvent */

const bootstrap = fileURLToPath(new URL('../bootstrap.js', import.meta.url))
/** How often a run's lines are looked for: it costs the run next to nothing. */
const LOOK_MS = 250
/** A run that is asked to end finishes its block and stores its record. */
const ENDING_SECONDS = 60

/** @typedef {{ event: 'begins', what: string, startedAt: string } | FeedEvent | { event: 'ended', exit: number | null, run: string | null, error: string | null }} JobEvent */

/**
 * @typedef {object} Jobs one run at a time: two would measure each other
 * @property {() => JobEvent[]} events all of the run under way, or of the last one
 * @property {() => boolean} isRunning
 * @property {(order: { words: string[], argv: string[] }) => void} begin throws already-running
 * @property {() => Promise<void>} stop resolves when it has ended
 * @property {(listener: (event: JobEvent) => void) => () => void} follow answers how to stop following
 */

/**
 * @param {{ resultsDir: string, command?: string[] }} options command: argv in front of "run …"; left out: this hopbench
 * @returns {Jobs}
 */
export function createJobs ({ resultsDir, command = [process.execPath, bootstrap] }) {
  /** @type {import('../process.js').Child | null} */
  let child = null
  /** @type {JobEvent[]} */
  let events = []
  /** @type {Set<(event: JobEvent) => void>} */
  const listeners = new Set()
  const tell = (/** @type {JobEvent} */ event) => {
    events.push(event)
    for (const listener of listeners) listener(event)
  }
  return {
    events: () => events,
    isRunning: () => child !== null,
    follow (listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    begin ({ words, argv }) {
      if (child) throw new HopbenchError('already-running')
      const dir = mkdtempSync(join(tmpdir(), 'hopbench-serve-'))
      const [stdout, log] = [join(dir, 'record.json'), join(dir, 'log')]
      child = start({ name: words.join(' '), argv: [...command, 'run', '--feed', '--json', '--no-wait', `--results=${resultsDir}`, ...argv, '--', ...words], stdout, log })
      // Only what has started begins: a page would wait for the end of anything else.
      events = []
      tell({ event: 'begins', what: words.join(' '), startedAt: new Date().toISOString() })
      const lines = linesOf(log)
      const look = () => {
        for (const line of lines.added()) {
          const event = readFeed(line)
          if (event) tell(event)
        }
      }
      const timer = setInterval(look, LOOK_MS)
      child.exited.then(({ code }) => {
        clearInterval(timer)
        look()
        lines.close()
        const run = events.findLast(event => event.event === 'start')?.run ?? null
        const error = code === 0 || recordIn(stdout) ? null : sentenceOf(tailOf(log, 40))
        rmSync(dir, { recursive: true, force: true })
        child = null
        tell({ event: 'ended', exit: code, run, error })
      })
    },
    async stop () {
      await child?.stop({ signal: 'SIGINT', graceSeconds: ENDING_SECONDS })
    }
  }
}

/** @param {string} file */
function recordIn (file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/**
 * The lines that were added to a file since the last call, without those that are not whole yet.
 * @param {string} file
 * @returns {{ added: () => string[], close: () => void }}
 */
function linesOf (file) {
  const descriptor = openSync(file, 'r')
  const chunk = Buffer.alloc(1 << 16)
  let rest = ''
  const added = () => {
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk)) rest += chunk.toString('latin1', 0, count)
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    // Read as bytes, so that no letter is torn between two readings.
    return lines.map(line => Buffer.from(line, 'latin1').toString())
  }
  return { added, close: () => closeSync(descriptor) }
}
