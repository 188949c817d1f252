/**
 * Errors before or while a command starts: one message, the exit code, and no leftovers. Errors that need no process of
 * their own are caused in this one. The text on the terminal and the exit code of a process are tested by the others,
 * and by every caller of failsWell.
 */
import t from '../support/tap.js'
import { failsWell, hopbench, makeWorkspace } from '../support/cli.js'
import { failsInProcess } from '../support/in-process.js'

/** Words of a command that ends with 2, and its message. @type {Record<string, [words: string, message: RegExp]>} */
const misuse = {
  'rejects HTTP/2 at a server without support, and suggests a proxy': ['run express-json+tls=rsa2048+http2',
    /http2 of express-json is not possible here: [^]*nginx:uds-keepalive\+tls=rsa2048\+http2\/express-json/],
  'reports a sizing without a topology and a goal with the missing option': ['size',
    /hopbench size is incomplete: it requires --rps/],
  'reports a sizing without a goal with the missing option': ['size http-json --rps 100',
    /hopbench size is incomplete: it requires --p99/],
  'rejects a goal without a unit': ['size http-json --rps 1 --p99 50',
    /--p99 cannot be "50": it takes a time above zero with its unit, as in 50ms/],
  'rejects an engine that cannot send at a rate for an open loop': ['run latency --engine h2load',
    /h2load cannot send at a rate, which .* requires/],
  'rejects arms with kernel settings with load from another machine': ['run time-wait --load-hosts a',
    /--load-hosts cannot be "a": the arm reuse 0 changes kernel settings/],
  'rejects --net together with another machine': ['run http-json --load-hosts a --net gigabit',
    /--net gigabit, a network of this machine, are mutually exclusive/],
  'rejects several machines for a load without users': ['run http-json --load-hosts a,b',
    /--load-hosts cannot be "a,b": only the users of Locust are spread over several machines/],
  'rejects an open loop from another machine': ['run latency --load-hosts a',
    /--load-hosts cannot be "a": the open loop runs on one machine/],
  'rejects a URL with load from another machine': ['run http://127.0.0.1:1/ --load-hosts a',
    /--load-hosts cannot be "a": the load on a URL is made on this machine/],
  'rejects an unknown link': ['run http-json --net slow', /--net cannot be "slow": it takes one of gigabit/]
}
for (const [title, [words, message]] of Object.entries(misuse)) {
  t.test(title, async t => {
    const workspace = makeWorkspace(t)
    await failsInProcess(t, [...words.split(' '), '--results', workspace.results], { workspace, exit: 2, message })
  })
}

t.test('rejects more connections than the limit of open files allows', async t => {
  const workspace = makeWorkspace(t)
  const via = ['sh', '-c', 'ulimit -n 256 && exec "$@"', 'sh']
  const args = ['run', 'nginx:tcp/http-json', '--connections', '200', '--quick', '--results', workspace.results]
  const message = /200 connections to nginx:tcp\/http-json need about \d+ open files.*limit here is 256/
  await failsWell(t, await hopbench(args, { workspace, via }), { workspace, exit: 2, message })
})

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
