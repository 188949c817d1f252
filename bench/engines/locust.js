// Locust: users that come one after the other, keep their connection, and each ask at a pace of their own.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { measurementOf } from '../load/generators/locust/csv-report.js'
import { ANY_METHOD } from '../load/request-body.js'

/** @import { EngineFile, EnginePart } from '../types.js' */

const locustfile = fileURLToPath(new URL('../load/generators/locust/locustfile.py', import.meta.url))
/** What a user does that nobody has asked otherwise of: the published one's pace. */
const PER_USER_PER_SECOND = 1
const PATIENCE_SECONDS = 60 // Locust's own default.
const PREFIX = 'locust' // What its files are called before their endings.
const LED = 'led.py' // Its users, as the master hands them to its workers.

/** @type {EngineFile} */
export default {
  about: {
    title: 'Locust',
    program: 'python3',
    python: { requirements: 'locust/requirements.txt', least: '3.11' },
    closedLoop: false,
    users: true,
    // Its order goes through the environment (MAX_ARG_STRLEN of the kernel).
    methods: { ...ANY_METHOD, mostBytes: 64 * 1024 },
    workers: true,
    timeouts: 'all',
    latencyResolutionMicros: 1000,
    latencyNote:
      'reports whole milliseconds, and two digits above 100; its own CPU time is part of what its users wait'
  },

  version: {
    args: ['-I', '-m', 'locust', '--version'],
    parse: output => /^locust (\d[\w.+-]*)/m.exec(output)?.[1] ?? null
  },

  command (load, target, { program, dir, maxSeconds, cores = 1, part }) {
    const order = {
      host: target.url,
      path: load.path,
      method: load.method ?? 'GET',
      body: load.body?.base64 ?? null,
      // It requests compression by default; the load says what is accepted.
      headers: { 'Accept-Encoding': 'identity', ...load.headers },
      perSecond: load.perUserPerSecond ?? PER_USER_PER_SECOND,
      timeoutSeconds: load.timeoutSeconds ?? PATIENCE_SECONDS
    }
    // Isolated: a PYTHONPATH of the person's own is about other programs. It writes no bytecode beside the project's
    // files.
    const locust = [program, '-I', '-B', '-m', 'locust']
    // One process fills one core; a second one on the same core would only add the talk between them.
    const processes = cores > 1 ? ['--processes', `${cores}`] : []
    // HOME is where it looks for a configuration of the person's own.
    const env = { HOPBENCH_GENERATOR: JSON.stringify(order), HOME: dir }
    if (part?.role === 'worker') {
      const master = ['--worker', '--master-host', part.host, '--master-port', `${part.port}`]
      return { files: {}, processes: [{ argv: [...locust, '--locustfile', locustfile, ...master, ...processes], env }] }
    }
    const users = ['--users', `${load.connections}`, '--spawn-rate', `${load.spawnPerSecond ?? load.connections}`,
      '--run-time', `${maxSeconds}s`]
    // The percentiles of its history are those of the last ten seconds only where the whole of it is requested.
    const reports = ['--csv', join(dir, PREFIX), '--csv-full-history']
    // Answers that are errors are counted, and no failure of the program.
    const exit = ['--exit-code-on-error', '0']
    return {
      files: part ? ledFile(env.HOPBENCH_GENERATOR) : {},
      processes: [{
        argv: [...locust, '--locustfile', part ? join(dir, LED) : locustfile, '--headless', '--only-summary', ...users,
          ...reports, ...part ? leading(part) : processes, ...exit],
        env
      }]
    }
  },

  parse (results) {
    const { stderr, dir } = results[0]
    const read = (/** @type {string} */ ending) => readIfThere(join(dir, `${PREFIX}_${ending}.csv`))
    return measurementOf({
      stats: read('stats'),
      history: read('stats_history'),
      failures: read('failures'),
      log: stderr
    })
  }
}

/** @param {Extract<EnginePart, { role: 'master' }>} part */
const leading = ({ host, port, workers, waitSeconds }) => ['--master', '--master-bind-host', host,
  '--master-bind-port', `${port}`, '--expect-workers', `${workers}`, '--expect-workers-max-wait', `${waitSeconds}`]

/** A worker that a person has started gets the file from the master, and the order with it.
 * @param {string} order @returns {Record<string, string>} */
const ledFile = order => ({
  [LED]: `import os\nos.environ["HOPBENCH_GENERATOR"] = ${JSON.stringify(order)}\n${readFileSync(locustfile, 'utf8')}`
})

/** @param {string} file */
function readIfThere (file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
