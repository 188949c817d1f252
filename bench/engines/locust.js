// Locust: users that start one after the other, keep their connections, and send requests at a given pace each.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readReportFile } from '../load/engine-reports.js'
import { toMeasurement } from '../load/generators/locust/csv-report.js'
import { ANY_METHOD } from '../load/request-body.js'

/** @import { EngineFile, EnginePart } from '../types.js' */

const locustfile = fileURLToPath(new URL('../load/generators/locust/locustfile.py', import.meta.url))
/** Default request rate of a user, that of the published measurement. */
const PER_USER_PER_SECOND = 1
/** Locust's default timeout. */
const TIMEOUT_SECONDS = 60
/** Prefix of the names of its report files. */
const PREFIX = 'locust'
/** File with the users that the master sends to its workers. */
const MASTER_FILE = 'led.py'

/** @type {EngineFile} */
export default {
  about: {
    title: 'Locust',
    program: 'python3',
    python: { requirements: 'locust/requirements.txt', least: '3.11' },
    closedLoop: false,
    users: true,
    // The order is an environment variable, whose length the kernel limits (MAX_ARG_STRLEN).
    methods: { ...ANY_METHOD, mostBytes: 64 * 1024 },
    timeouts: 'all'
  },

  version: {
    args: ['-I', '-B', '-m', 'locust', '--version'],
    parse: output => /^locust (\d[\w.+-]*)/m.exec(output)?.[1] ?? null
  },

  command (load, target, { program, dir, maxSeconds, cores = 1, part }) {
    const options = {
      host: target.url,
      path: load.path,
      method: load.method ?? 'GET',
      body: load.body?.base64 ?? null,
      // Overrides Locust's default, which requests compression.
      headers: { 'Accept-Encoding': 'identity', ...load.headers },
      perSecond: load.perUserPerSecond ?? PER_USER_PER_SECOND,
      timeoutSeconds: load.timeoutSeconds ?? TIMEOUT_SECONDS
    }
    // -I ignores PYTHONPATH and other settings of the account. -B writes no bytecode, neither beside the
    // project's files nor into the cache.
    const locust = [program, '-I', '-B', '-m', 'locust']
    // A process saturates a core, so more processes than cores gain nothing.
    const processes = cores > 1 ? ['--processes', `${cores}`] : []
    // HOME hides a configuration file in the home folder.
    const env = { HOPBENCH_GENERATOR: JSON.stringify(options), HOME: dir }
    const users = ['--users', `${load.connections}`, '--spawn-rate', `${load.spawnPerSecond ?? load.connections}`,
      '--run-time', `${maxSeconds}s`]
    // The history has percentiles of the last 10 s only with --csv-full-history.
    const reports = ['--csv', join(dir, PREFIX), '--csv-full-history']
    // Error responses are counted and are no failure of the program.
    const exit = ['--exit-code-on-error', '0']
    return {
      files: part ? toMasterFile(env.HOPBENCH_GENERATOR) : {},
      processes: [{
        argv: [...locust, '--locustfile', part ? join(dir, MASTER_FILE) : locustfile, '--headless', '--only-summary',
          ...users, ...reports, ...part ? masterArguments(part) : processes, ...exit],
        env
      }]
    }
  },

  parse (results) {
    const { stderr, dir } = results[0]
    const read = (/** @type {string} */ ending) => readReportFile(join(dir, `${PREFIX}_${ending}.csv`))
    return toMeasurement({
      stats: read('stats'),
      history: read('stats_history'),
      failures: read('failures'),
      log: stderr
    })
  }
}

/** @param {EnginePart} part */
const masterArguments = ({ host, port, workers, waitSeconds }) => ['--master', '--master-bind-host', host,
  '--master-bind-port', `${port}`, '--expect-workers', `${workers}`, '--expect-workers-max-wait', `${waitSeconds}`]

/**
 * Returns a locustfile with the order, because workers on other machines get only this file from the master.
 * @param {string} options
 * @returns {Record<string, string>}
 */
const toMasterFile = options => ({
  [MASTER_FILE]: `import os\nos.environ["HOPBENCH_GENERATOR"] = ${JSON.stringify(options)}\n` +
    readFileSync(locustfile, 'utf8')
})
