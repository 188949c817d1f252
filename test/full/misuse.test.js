/**
 * Errors before or while a command starts: one message, the exit code, and no leftovers. Errors that need no process of
 * their own are caused in this one. The text on the terminal and the exit code of a process are tested by the others,
 * and by every caller of failsWell.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { failsWell, hopbench, makeWorkspace, project } from '../support/cli.js'
import { failsInProcess } from '../support/in-process.js'
import { isOnPath } from '../support/needs.js'

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
  'an unknown experiment is reported with the nearest name': {
    args: ['run', 'udss'],
    exit: 2,
    message: /"udss" is neither an experiment nor a topology\. Did you mean "uds"\?/
  },
  'an unknown server is reported with the nearest name': {
    args: ['run', 'nginx:uds/express-jsno'],
    exit: 2,
    message: /express-jsno.*Did you mean "express-json"\?/
  },
  'rejects a budget that is not a time': {
    args: ['run', 'uds', '--budget', 'soon'],
    exit: 2,
    message: /--budget cannot be "soon": it takes a time above zero/
  },
  'a negative time is refused': {
    args: ['run', 'uds', '--budget', '-5s'],
    exit: 2,
    message: /--budget cannot be "-5s"/
  },
  'a time of zero is refused': { args: ['run', 'uds', '--budget', '0'], exit: 2, message: /--budget cannot be "0"/ },
  'rejects --detect for a protocol with windows of a fixed length': {
    args: ['run', 'apache', '--detect', '5%'],
    exit: 2,
    message: /--detect cannot be "5%"/
  },
  'rejects a share above 100 %': {
    args: ['run', 'uds', '--precision', '200%'],
    exit: 2,
    message: /--precision cannot be "200%"/
  },
  'rejects a number of connections that is not an integer': {
    args: ['run', 'uds', '--connections', '1e2'],
    exit: 2,
    message: /--connections cannot be "1e2"/
  },
  'an unknown option of a proxy is reported with the nearest name': {
    args: ['run', 'nginx:uds+cashe=5s/http-json'],
    exit: 2,
    message: /did you mean cache/
  },
  'an option of a proxy with a wrong value is refused': {
    args: ['run', 'nginx:uds+cache=soon/http-json'],
    exit: 2,
    message: /cache of nginx cannot be "soon": it takes a time/
  },
  'rejects --resume with an unknown run': {
    args: ['run', '--resume', '2024-01-01T00-00-00Z-uds'],
    exit: 2,
    message: /no run "2024-01-01T00-00-00Z-uds"/
  },
  'reports a missing app by its path': {
    args: ['run', './no-app.js'],
    exit: 2,
    message: /no file .*no-app\.js/
  },
  'rejects an engine that cannot open a new connection for every request': {
    args: ['run', 'connections', '--engine', 'h2load'],
    exit: 2,
    message: /h2load cannot open a new connection for every request, which .* requires/
  },
  'rejects an engine for TLS handshakes where no hop speaks TLS': {
    args: ['run', 'http-json', '--engine', 's-time'],
    exit: 2,
    message: /openssl s_time cannot speak HTTP without TLS/
  },
  'rejects an engine without HTTP/2 where a hop speaks HTTP/2': {
    args: ['run', 'nginx+tls=ecdsa-p256+http2/files', '--engine', 'wrk'],
    exit: 2,
    message: /wrk cannot speak HTTP\/2, which .* requires/
  },
  'rejects HTTP/2 at a server without support, and suggests a proxy': {
    args: ['run', 'express-json+tls=rsa2048+http2'],
    exit: 2,
    message: /http2 of express-json is not possible here: [^]*nginx:uds-keepalive\+tls=rsa2048\+http2\/express-json/
  },
  'HTTP/2 without TLS is refused': {
    args: ['run', 'http-json+http2'],
    exit: 2,
    message: /http2 of http-json is not possible here: it requires tls/
  },
  'TLS at a server behind a proxy is refused': {
    args: ['run', 'nginx:keepalive/http-json+tls=rsa2048'],
    exit: 2,
    message: /tls of http-json cannot be "rsa2048": the proxy in front sends plain HTTP/
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
  'a rate of zero is refused': {
    args: ['size', 'http-json', '--rps', '0', '--p99', '50ms'],
    exit: 2,
    message: /--rps cannot be "0": it takes a whole number/
  },
  'rejects a goal without a unit': {
    args: ['size', 'http-json', '--rps', '1', '--p99', '50'],
    exit: 2,
    message: /--p99 cannot be "50": it takes a time above zero with its unit, as in 50ms/
  },
  'rejects a headroom of 100 %': {
    args: ['size', 'http-json', '--rps', '1', '--p99', '1s', '--headroom', '100%'],
    exit: 2,
    message: /--headroom cannot be "100%"/
  },
  'an unknown plan is reported with the nearest name': {
    args: ['size', 'http-json', '--rps', '1', '--p99', '1s', '--plan', 'Render Startr'],
    exit: 2,
    message: /no offering "Render Startr"\. Did you mean "Render Starter"\?/
  },
  'reports a missing file of offerings by its path': {
    args: ['size', 'http-json', '--rps', '1', '--p99', '1s', '--plans', 'none.json'],
    exit: 2,
    message: /The offerings in .*none\.json cannot be used: ENOENT/
  },
  'the same topology twice is refused': {
    args: ['size', 'http-json', 'http-json', '--rps', '1', '--p99', '1s'],
    exit: 2,
    message: /typed twice/
  },
  'rejects an engine that cannot send at a rate for an open loop': {
    args: ['run', 'latency', '--engine', 'h2load'],
    exit: 2,
    message: /h2load cannot send at a rate, which .* requires/
  },
  'rejects a host that ssh would read as an option': {
    args: ['run', 'http-json', '--load-hosts', '-oProxyCommand=x'],
    exit: 2,
    message: /--load-hosts cannot be "-oProxyCommand=x": it takes user@host/
  },
  'a host named twice is refused': {
    args: ['run', 'http-json', '--load-hosts', 'a,a'],
    exit: 2,
    message: /--load-hosts cannot be "a,a": a host is named twice/
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

t.test('a results folder that cannot be written is reported before anything is measured', async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(workspace.results, 'a file instead of a folder')
  const result = await hopbench(['run', 'http-json', '--quick', '--results', workspace.results], { workspace })
  await failsWell(t, result, { workspace, exit: 1, message: /results cannot be written in .*results: / })
})

t.test('a missing temporary folder is reported', async t => {
  const workspace = makeWorkspace(t)
  const result = await hopbench(['run', 'http-json', '--quick', '--results', workspace.results], {
    workspace,
    env: { TMPDIR: join(workspace.dir, 'none') }
  })
  await failsWell(t, result, { workspace, exit: 1, message: /No temporary folder can be created in .*none/ })
})

t.test('a temporary folder whose path is too long for a Unix socket is reported', async t => {
  const workspace = makeWorkspace(t)
  const long = join(workspace.tmp, 'n'.repeat(100))
  mkdirSync(long)
  const result = await hopbench(['run', 'http-json', '--quick', '--results', workspace.results], {
    workspace,
    env: { TMPDIR: long }
  })
  t.match(result.stderr, /system's limit is 107/)
  await failsWell(t, result, {
    workspace: { ...workspace, tmp: long },
    exit: 1,
    message: /Unix socket path .* would be \d+ bytes/
  })
})

t.test('reports nginx that is neither installed nor available, with the message of apt', {
  skip: isOnPath('nginx') && 'nginx is installed on this system'
}, async t => {
  const workspace = makeWorkspace(t)
  const bin = join(workspace.dir, 'bin')
  mkdirSync(bin)
  for (const program of ['apt-get', 'dpkg-deb']) {
    writeFileSync(join(bin, program), '#!/bin/sh\necho "E: no way to the mirrors" >&2\nexit 100\n')
    chmodSync(join(bin, program), 0o755)
  }
  const result = await hopbench(['run', 'nginx:tcp/http-json', '--quick', '--results', workspace.results], {
    workspace, env: { HOPBENCH_CACHE: join(workspace.dir, 'cache'), PATH: `${bin}:${process.env.PATH}` }
  })
  t.match(result.stderr, /E: no way to the mirrors/, 'the message of apt')
  await failsWell(t, result, { workspace, exit: 1, message: /nginx is not on PATH/ })
})
