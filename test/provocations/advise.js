/** Apps about which hopbench advise gives no advice. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AdviseStudy } from '../../bench/features/advise/study.js'
import { loadRules } from '../../bench/features/advise/decide.js'
import { inspectInWorker } from '../../bench/features/advise/inspect.js'
import { adviseRequestFrom } from '../../bench/features/advise/request.js'
import { openAdvice } from '../../bench/store/store.js'
import { makeFacts } from '../support/advice.js'
import { fakeMeasurements } from '../support/fake-measurements.js'
import { inEnvironment } from '../support/provoke.js'

/** @import { Test } from 'tap' */
/** @import { Provocations } from '../support/provoke.js' */

/**
 * Looks at an app.
 *
 * @param {Test} t
 * @param {string} app command
 */
async function look (t, app) {
  const dir = t.testdir({})
  inEnvironment(t, { INIT_CWD: dir })
  const request = adviseRequestFrom({ app: [app], readyWithin: 10, lab: false })
  return inspectInWorker({ options: { app: [app], readyWithin: 10, lab: false }, paths: ['/'], headers: {} },
    { bench: { dir }, request })
}

/** @type {Provocations} */
export default {
  'advise-start': t => look(t, 'node -e 0'),
  'advise-service': t =>
    look(t, 'echo "connect ECONNREFUSED 127.0.0.1:5432" >&2; exit 1'),
  'advise-nothing': async t => {
    const dir = t.testdir({})
    inEnvironment(t, { INIT_CWD: dir })
    mkdirSync(join(dir, 'out'))
    const options = { app: ['node a.js'], lab: true, results: join(dir, 'results') }
    const startedAt = new Date().toISOString()
    const study = new AdviseStudy(adviseRequestFrom(options), makeFacts(), {
      options,
      rules: await loadRules(),
      bench: {
        dir: join(dir, 'out'),
        sharedDir: join(dir, 'shared'),
        call: fakeMeasurements({ fails: true }).call,
        interrupted: () => 0
      },
      store: await openAdvice({ resultsDir: options.results, startedAt }),
      printProgress: () => {},
      startedSeconds: 0,
      startedAt
    })
    return study.run()
  }
}
