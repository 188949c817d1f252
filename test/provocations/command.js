/** Commands with typing errors. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { main } from '../../bench/cli.js'
import { planExperiment } from '../../bench/plan/plan.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import { checkLimits } from '../../bench/request/plan-checks.js'
import { readProjectFile } from '../../bench/request/project-paths.js'
import { planFrom } from '../../bench/request/request.js'
import { checkRoot } from '../../bench/request/user-files.js'
import { parse } from '../../bench/plan/spec.js'
import { protocols } from '../support/samples.js'
import { readPage } from '../../bench/request/user-mix.js'
import { mixOfFile } from '../../bench/request/user-paths.js'

/** @import { Experiment } from '../../bench/types.js' */
/** @import { Provocations } from '../support/provoke.js' */

const plain = { lab: true }
/** User ID without any files. */
const UNPRIVILEGED = 65534

/** An experiment with a typing error: its arms are a and b. @type {Experiment} */
const slip = {
  title: 'Two',
  question: 'Which?',
  source: null,
  arms: { a: 'http-json', b: 'express-json' },
  contrasts: [['c', 'a']],
  protocol: 'slices',
  unit: 'requests'
}

/** @type {Provocations} */
export default {
  'unknown-experiment': () => planFrom(['udss'], plain),
  'unknown-plugin': () => loadPlugin('server', 'express-jsno'),
  'bad-plugin': () => planExperiment('mine', slip, { seed: 1 }, { parse, protocol: protocols.slices }),
  'bad-topology': () => parse('nginx:udp/express-json'),
  'bad-option': () => planFrom(['http-json'], { ...plain, path: 'api' }),
  'bad-command-line': () => main(['run', 'uds', '--bugdet', '5s']),
  'no-module': () => planFrom(['./no-app.js'], plain),
  'bad-project-file': t => readProjectFile(t.testdir({})),
  'root-missing': t => checkRoot(join(t.testdir({}), 'none')),
  'root-unreadable': {
    skip: !mayChangeAccount() && 'root reads everything, and cannot become another account here',
    provoke: t => {
      const closed = join(t.testdir({ closed: {} }), 'closed')
      chmodSync(closed, 0)
      try {
        asOtherAccount(() => checkRoot(closed))
      } finally {
        chmodSync(closed, 0o700)
      }
    }
  },
  'root-empty': t => checkRoot(t.testdir({ '.env': 'SECRET' })),
  'paths-unreadable': t => {
    const dir = t.testdir({})
    mixOfFile(join(dir, 'none.txt'), dir)
  },
  'paths-empty': t => {
    const dir = t.testdir({ 'list.txt': '/a.html\n/b.html\n', 'c.html': '' })
    mixOfFile(join(dir, 'list.txt'), dir)
  },
  'har-unreadable': t => {
    readPage(join(t.testdir({ 'page.har': '{"log":{}}' }), 'page.har'))
  },
  'har-empty': t => {
    readPage(join(t.testdir({ 'page.har': '{"log":{"entries":[]}}' }), 'page.har'))
  },
  'engine-cannot': () => planFrom(['http-json'], { ...plain, engine: 'paced' }),
  'too-many-connections': async () => {
    const { plan } = await planFrom(['nginx:tcp/http-json'], { ...plain, connections: 200 })
    checkLimits(plan, 256)
  }
}

function mayChangeAccount () {
  try {
    asOtherAccount(() => {})
    return true
  } catch {
    return false
  }
}

/** Runs an action under another user ID, because root may read everything. @param {() => unknown} action */
function asOtherAccount (action) {
  if (process.getuid?.() !== 0) return action()
  process.seteuid?.(UNPRIVILEGED)
  try {
    return action()
  } finally {
    process.seteuid?.(0)
  }
}
