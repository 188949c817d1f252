/**
 * Errors before or while a command starts: one message, the exit code, and no leftovers. Errors that need no process of
 * their own are caused in this one. The text on the terminal and the exit code of a process are tested by the others,
 * and by every caller of failsWell.
 */
import { join } from 'node:path'
import t from '../support/tap.js'
import { failsWell, hopbench, makeWorkspace, project } from '../support/cli.js'
import { failsInProcess } from '../support/in-process.js'

/** @import { CallOptions, Workspace } from '../support/cli.js' */

/**
 * @typedef {object} Case
 * @property {string[]} args
 * @property {1 | 2} exit
 * @property {RegExp} message
 * @property {Omit<CallOptions, 'workspace'>} [options]
 */

/** @type {Record<string, Case>} */
const misuse = {
  'rejects --detect for a protocol with windows of a fixed length': {
    args: ['run', 'apache', '--detect', '5%'],
    exit: 2,
    message: /--detect cannot be "5%"/
  },
  'rejects HTTP/2 at a server without support, and suggests a proxy': {
    args: ['run', 'express-json+tls=rsa2048+http2'],
    exit: 2,
    message: /http2 of express-json is not possible here: [^]*nginx:uds-keepalive\+tls=rsa2048\+http2\/express-json/
  },
  'rejects HTTP/3': {
    args: ['run', 'nginx+tls=rsa2048+http3/files'],
    exit: 2,
    message: /http3 of nginx is not possible here: HTTP\/3 is not measured/
  },
  'reports a sizing without a topology and a goal with the missing option': {
    args: ['size'],
    exit: 2,
    message: /hopbench size is incomplete: it requires --rps/
  },
  'reports a sizing without a goal with the missing option': {
    args: ['size', 'http-json', '--rps', '100'],
    exit: 2,
    message: /hopbench size is incomplete: it requires --p99/
  },
  'rejects a goal without a unit': {
    args: ['size', 'http-json', '--rps', '1', '--p99', '50'],
    exit: 2,
    message: /--p99 cannot be "50": it takes a time above zero with its unit, as in 50ms/
  },
  'rejects an engine that cannot send at a rate for an open loop': {
    args: ['run', 'latency', '--engine', 'h2load'],
    exit: 2,
    message: /h2load cannot send at a rate, which .* requires/
  },
  'rejects arms with kernel settings with load from another machine': {
    args: ['run', 'time-wait', '--load-hosts', 'a'],
    exit: 2,
    message: /--load-hosts cannot be "a": the arm reuse 0 changes kernel settings/
  },
  'rejects --net together with another machine': {
    args: ['run', 'http-json', '--load-hosts', 'a', '--net', 'gigabit'],
    exit: 2,
    message: /--net gigabit, a network of this machine, are mutually exclusive/
  },
  'rejects several machines for a load without users': {
    args: ['run', 'http-json', '--load-hosts', 'a,b'],
    exit: 2,
    message: /--load-hosts cannot be "a,b": only the users of Locust are spread over several machines/
  },
  'rejects an open loop from another machine': {
    args: ['run', 'latency', '--load-hosts', 'a'],
    exit: 2,
    message: /--load-hosts cannot be "a": the open loop runs on one machine/
  },
  'rejects a URL with load from another machine': {
    args: ['run', 'http://127.0.0.1:1/', '--load-hosts', 'a'],
    exit: 2,
    message: /--load-hosts cannot be "a": the load on a URL is made on this machine/
  },
  'rejects an unknown link': {
    args: ['run', 'http-json', '--net', 'slow'],
    exit: 2,
    message: /--net cannot be "slow": it takes one of gigabit/
  },
  'reports --export-users for a run without users': {
    args: ['report', join(project, 'results/reference/2026-11-26T16-52-04Z-uds'), '--export-users', '-'],
    exit: 1,
    message: /2026-11-26T16-52-04Z-uds has no data of users/
  },
  'rejects an open-loop engine for a load without a rate': {
    args: ['run', 'http-json', '--engine', 'paced'],
    exit: 2,
    message: /paced cannot load without a rate/
  },
  'rejects more connections than the limit of open files allows': {
    args: ['run', 'nginx:tcp/http-json', '--connections', '200', '--quick'],
    exit: 2,
    message: /200 connections to nginx:tcp\/http-json need about \d+ open files.*limit here is 256/,
    options: { via: ['sh', '-c', 'ulimit -n 256 && exec "$@"', 'sh'] }
  }
}

for (const [what, { args, exit, message, options }] of Object.entries(misuse)) {
  t.test(what, async t => {
    const workspace = makeWorkspace(t)
    const typed = [...args, '--results', workspace.results]
    const expected = { workspace, exit, message }
    if (options) await failsWell(t, await hopbench(typed, { workspace, ...options }), expected)
    else await failsInProcess(t, typed, expected)
  })
}

t.test('an unknown flag is reported with the nearest one', async t => {
  const workspace = makeWorkspace(t)
  const { exit, stderr } = await hopbench(['run', 'uds', '--bugdet', '5s'], { workspace })
  t.equal(exit, 2)
  t.match(stderr, /Unknown option '--bugdet'/)
  t.match(stderr, /Did you mean --budget\?/)
})

t.test('an unknown command is reported with the nearest one, and a missing argument by its name', async t => {
  const workspace = makeWorkspace(t)
  await failsWell(t, await hopbench(['rpeort'], { workspace }), {
    workspace, exit: 2, message: /^Unknown command 'rpeort' \(Did you mean report\?\)\.\nTry: .* \[bad-command-line\]$/
  })
  await failsWell(t, await hopbench(['compare', 'uds'], { workspace }), {
    workspace, exit: 2, message: /^Missing required argument 'after'\.\nTry: .*hopbench compare --help/
  })
})

t.test('with --json prints an error as JSON on stdout and as text on stderr', async t => {
  const workspace = makeWorkspace(t)
  /** @type {[string, string[]][]} */
  const wrong = [['bad-option', ['run', 'uds', '--budget', 'soon']],
    ['bad-command-line', ['run', 'uds', '--bugdet', '5s']]]
  for (const [code, args] of wrong) {
    const { exit, stdout, stderr } = await hopbench([...args, '--json'], { workspace })
    t.equal(exit, 2)
    const { error } = JSON.parse(stdout)
    t.strictSame(Object.keys(error), ['code', 'message', 'try'])
    t.equal(error.code, code)
    t.equal(stderr.trim(), `${error.message}\nTry: ${error.try} [${code}]`)
  }
})
