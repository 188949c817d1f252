/** Requests that the live page cannot or may not execute. */
import { createRunJobs } from '../../bench/features/serve/job.js'
import { orderFrom } from '../../bench/features/serve/app.js'
import { callOf } from '../support/serve.js'
import { makeWorkspace } from '../support/cli.js'
import { listening } from '../support/listening.js'
import { command, program } from '../support/provoke.js'

/** @import { Provocations } from '../support/provoke.js' */

/** @type {Provocations} */
export default {
  'bad-order': () => orderFrom({ words: ['./my-app.js'] }),
  'already-running': t => {
    const { dir, tmp: temp, results } = makeWorkspace(t)
    const jobs = createRunJobs({ resultsDir: results, temp, call: callOf([program(dir, 'hopbench', 'exec sleep 60')]) })
    t.teardown(() => jobs.stop())
    jobs.begin({ words: ['uds'], options: {} })
    jobs.begin({ words: ['cache'], options: {} })
  },
  'cannot-listen': async t => command('serve', '--port', String(await listening(t)), '--results', t.testdir({}))
}
