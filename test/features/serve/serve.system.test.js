import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../../support/tap.js'
import { makeRecord } from '../../support/record.js'
import { serveFor, TOKEN, resultsFor, ask, post, NO_TOKEN, JSON_TYPE, RUNS } from '../../support/serve.js'

t.test('lists the history newest first, filtered by a search and from an offset', async t => {
  const { url } = await serveFor(t, { resultsDir: resultsFor(t, RUNS) })
  const all = JSON.parse((await ask(`${url}/history`)).body)
  t.equal(all.total, 3)
  t.strictSame(all.entries.map((/** @type {{ run: string }} */ { run }) => run), [...RUNS].reverse())
  t.match(all.entries[0], {
    experiment: 'cache',
    question: `What of ${RUNS[2]}?`,
    answer: /^A pooled Unix socket serves /,
    state: 'complete'
  })
  t.match(JSON.parse((await ask(`${url}/history?search=UDS%2005-07`)).body), {
    total: 1,
    entries: [{ run: RUNS[1] }]
  })
  t.match(JSON.parse((await ask(`${url}/history?from=2`)).body), { total: 3, entries: [{ run: RUNS[0] }] })
})

t.test('names a run by what it compared', async t => {
  const resultsDir = resultsFor(t, RUNS)
  const typed = '2024-05-08T07-08-09Z-typed'
  mkdirSync(join(resultsDir, typed))
  const record = makeRecord({ run: typed, experiment: 'typed' })
  writeFileSync(join(resultsDir, typed, 'run.json'), JSON.stringify(record))
  const { url } = await serveFor(t, { resultsDir })
  const { entries } = JSON.parse((await ask(`${url}/history`)).body)
  const whats = new Map(entries.map((/** @type {{ run: string, what: string }} */ { run, what }) => [run, what]))
  const [first, second] = record.plan.arms.map(({ name }) => name)
  t.match(whats.get(typed), second)
  t.match(whats.get(typed), new RegExp(` against ${first}`))
  t.notMatch(whats.get(typed), 'typed')
  t.notOk(whats.get(typed).endsWith(`against ${record.plan.twin?.arm}`))
  t.notOk(whats.get(typed).split(/, | against /).includes(record.plan.twin?.arm))
  t.equal(whats.get(RUNS[1]), 'uds')
})

t.test('offers experiments, servers and proxies, and the apps that it was started with only', async t => {
  const resultsDir = resultsFor(t, RUNS)
  const apps = { commands: { shop: 'node shop.js' }, options: {} }
  for (const served of [undefined, apps]) {
    const { url } = await serveFor(t, { resultsDir, apps: served })
    const { body } = await ask(`${url}/`)
    for (const value of ['uds', 'express-json', 'connect-static']) t.match(body, `<option value="${value}">`)
    t.match(body, '<option>nginx:uds-keepalive</option>')
    t.equal(body.includes('<option value="shop">'), served !== undefined)
    t.notMatch(body, 'node shop.js', 'the command stays in the process')
  }
})

t.test('serves a stored run as a page, JSON, CSV and SVG, and compares two runs', async t => {
  const { url } = await serveFor(t, { resultsDir: resultsFor(t, RUNS) })
  const page = await ask(`${url}/runs/${RUNS[0]}`)
  t.match(page.body, `What of ${RUNS[0]}?`)
  t.equal(page.headers['content-security-policy'], undefined, 'the page contains its own policy')
  t.equal(JSON.parse((await ask(`${url}/runs/${RUNS[0]}/run.json`)).body).run, RUNS[0])
  t.equal((await ask(`${url}/runs/${RUNS[0]}/samples.csv`)).body.trim().split('\n').length, 13)
  t.match((await ask(`${url}/runs/${RUNS[0]}/chart.svg`)).body, '<svg')
  t.equal((await ask(`${url}/runs/${RUNS[0]}/users.csv`)).status, 404)
  const address = `${url}/compare?before=${RUNS[0]}&after=${RUNS[1]}`
  t.strictSame(JSON.parse((await ask(address)).body).runs, { before: RUNS[0], after: RUNS[1] })
  const comparison = await ask(address, { headers: { Accept: 'text/html,*/*;q=0.8' } })
  t.match(comparison.headers['content-type'], /^text\/html/)
  t.match(comparison.body, `<title>${RUNS[1]} against ${RUNS[0]} –`)
})

t.test('responds with 404 to every path outside the results', async t => {
  const { url } = await serveFor(t, { resultsDir: resultsFor(t, RUNS) })
  const paths = ['/runs/../secret.txt', '/runs/..%2fsecret.txt', '/runs/%2e%2e%2fsecret.txt',
    '/runs/..%5csecret.txt', `/runs/${RUNS[0]}%00`, `/runs/${RUNS[0]}%0a`,
    `/runs/${RUNS[0]}/..%2f..%2f..%2fsecret.txt`, `/runs/${RUNS[0]}/plan.json`, '/runs/.',
    '/assets/..%2flive.hbs', '/assets/../../../package.json', '/secret.txt']
  for (const path of paths) {
    const { status, body } = await ask(url, { path })
    t.equal(status, 404, path)
    t.notMatch(body, 'a secret', path)
  }
  for (const query of ['before=..%2f..%2fsecret.txt&after=x', `before=${RUNS[0]}&after=%2fetc%2fpasswd`, 'before=',
    '']) t.equal((await ask(`${url}/compare?${query}`)).status, 404, query)
})

t.test('rejects requests for another host name, from another site, and with another content type', async t => {
  const { url, port, jobs } = await serveFor(t, { resultsDir: resultsFor(t, []) })
  for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1:${port + 1}`, 'localhost']) {
    t.equal((await ask(url, { headers: { Host: host } })).status, 421, `Host: ${host}`)
  }
  t.equal((await ask(url, { headers: { Host: `localhost:${port}` } })).status, 200)
  const order = { words: ['uds'] }
  /** @type {Record<string, string>[]} */
  const foreign = [{ Origin: 'http://evil.example' }, { Origin: 'null' }, { Origin: `https://127.0.0.1:${port}` }, {
    'Sec-Fetch-Site': 'cross-site'
  }]
  for (const headers of foreign) {
    t.equal((await post(`${url}/start`, order, headers)).status, 403, JSON.stringify(headers))
    t.equal((await post(`${url}/stop`, {}, headers)).status, 403, JSON.stringify(headers))
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    t.equal((await post(`${url}/start`, order, { 'Content-Type': type })).status, 415, type)
  }
  for (const site of ['cross-site', 'same-site']) {
    for (const path of ['/', '/history', '/metrics', '/live', '/runs/x']) {
      t.equal((await ask(url + path, { headers: { 'Sec-Fetch-Site': site } })).status, 403, `${site} ${path}`)
    }
  }
  t.equal((await ask(url, { headers: { 'Sec-Fetch-Site': 'none' } })).status, 200, 'typed into the address bar')
  t.equal((await ask(`${url}/history`, { headers: { Origin: 'http://evil.example' } })).status, 403)
  t.equal((await ask(`${url}/start`)).status, 404, 'a link cannot start a run')
  t.equal(jobs.isRunning(), false)
  t.match((await ask(url)).headers, {
    'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
    'x-content-type-options': 'nosniff',
    'x-powered-by': undefined
  })
})

t.test('rejects an invalid order for a run with a reason', async t => {
  const { url, jobs } = await serveFor(t, { resultsDir: resultsFor(t, []) })
  const words = [undefined, [], 'uds', [''], ['--help'], ['./app.js'], ['nginx:uds//tmp/app.js'], ['/tmp/app.js'],
    ['../app.js'], ['exp.json'], ['a/b.json'], ['nginx/../exp.json'], ['http://127.0.0.1:3000'],
    ['nginx:uds/./my-app.js'], Array(21).fill('http-json')]
  const options = [{ root: '/etc' }, { results: '/tmp' }, { budget: 5 }, { budget: 'soon' }, { seed: 'x'.repeat(300) }]
  const orders = [...words.map(words => ({ words })), ...options.map(option => ({ words: ['uds'], ...option }))]
  for (const order of orders) {
    const { status, body } = await post(`${url}/start`, order)
    t.equal(status, 400, JSON.stringify(order).slice(0, 60))
    t.ok(JSON.parse(body).error.length > 20)
  }
  t.equal((await ask(`${url}/start`, { method: 'POST', headers: JSON_TYPE, body: '{' })).status, 400, 'no JSON')
  t.equal((await post(`${url}/start`, { words: ['uds'], seed: 'x'.repeat(20_000) })).status, 413, 'too large')
  t.equal(jobs.isRunning(), false)
})

for (const host of ['127.0.0.1', '0.0.0.0']) {
  t.test(`responds with 401 to every request without the token, on ${host}`, async t => {
    const { url, port, jobs } = await serveFor(t, { resultsDir: resultsFor(t, RUNS), host })
    const paths = ['/', '/history', '/metrics', '/live', '/assets/live.js', '/?token=another', '/?token=',
      `/runs/${RUNS[0]}`, `/history?token=${TOKEN}`]
    for (const path of paths) t.equal((await ask(url + path, { headers: NO_TOKEN })).status, 401, path)
    for (const path of ['/start', '/stop']) {
      t.equal((await post(url + path, { words: ['uds'] }, NO_TOKEN)).status, 401, path)
    }
    t.equal((await ask(url, { headers: { Cookie: `hopbench-${port + 1}=${TOKEN}` } })).status, 401, "another port's")
    t.equal(jobs.isRunning(), false)
  })
}

const HALVES = { 'nothing was sent': '', 'half a request was sent': 'GET / HTTP/1.1\r\nHost: a' }
for (const [what, half] of Object.entries(HALVES)) {
  t.test(`responds while 200 connections are open on which ${what}`, async t => {
    const { url, port } = await serveFor(t, { resultsDir: resultsFor(t, RUNS) })
    const sockets = await Promise.all(Array.from({ length: 200 }, () => new Promise(resolve => {
      const socket = connect(port, '127.0.0.1', () => {
        if (half) socket.write(half)
        resolve(socket)
      })
      socket.on('error', () => {})
      t.teardown(() => socket.destroy())
    })))
    t.equal(sockets.length, 200)
    let status
    for (let attempt = 0; attempt < 60 && status !== 200; attempt++) {
      status = await ask(`${url}/history`).then(({ status }) => status, () => null)
      if (status !== 200) await sleep(500)
    }
    t.equal(status, 200)
  })
}

t.test('sets a cookie for a request with the token in its address', async t => {
  const { url, entrance, port } = await serveFor(t, { resultsDir: resultsFor(t, RUNS), host: '0.0.0.0' })
  const cookie = `hopbench-${port}=${TOKEN}`
  const set = { 'set-cookie': [`${cookie}; HttpOnly; SameSite=Strict; Path=/`] }
  t.match(await ask(entrance, { headers: NO_TOKEN }), { status: 302, headers: { location: '/', ...set } })
  t.match(await ask(entrance, { headers: { ...NO_TOKEN, 'Sec-Fetch-Site': 'cross-site' } }),
    { status: 200, headers: set, body: /http-equiv="refresh" content="0;url=\/"/ }, 'from a file')
  t.equal((await ask(url, { headers: { Cookie: `other=1; ${cookie}` } })).status, 200)
  t.equal((await post(`${url}/stop`, {}, { Cookie: cookie, Origin: 'http://evil.example' })).status, 403)
  t.equal((await ask(url, { headers: { Cookie: cookie, Host: `a-name:${port}` } })).status, 200)
})
