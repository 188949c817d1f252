/** Apps about which hopbench advise gives no advice. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AdviseStudy } from '../../bench/features/advise/study.js'
import { loadRules } from '../../bench/features/advise/decide.js'
import { adviseRequestFrom } from '../../bench/features/advise/request.js'
import { openAdvice } from '../../bench/store/store.js'
import { makeFacts } from '../support/advice.js'
import { fakeMeasurements } from '../support/fake-measurements.js'
import { inEnvironment } from '../support/provoke.js'

/** @import { Provocations } from '../support/provoke.js' */

/** @type {Provocations} */
export default {
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
