/** Tests the printed lines with the real packages: an app does not drain without them, and does with them. */
import t from '../../support/tap.js'
import { FRAMEWORKS } from '../../../bench/request/frameworks.js'
import { findAppFaults, tryAppEnd } from '../../../bench/features/rollout/app-end.js'
import { listMendLines } from '../../../bench/features/rollout/mend-lines.js'
import { endingApp } from '../../support/ending-app.js'

// Trials wait most of their time.
t.jobs = 4

/** Apps whose page takes 50 ms, up to the line that the printed lines follow. */
const APPS = {
  express: `import express from 'express'
const app = express()
app.get('/', (req, res) => setTimeout(() => res.send('page'), 50))
const server = app.listen(process.env.PORT)
`,
  koa: `import Koa from 'koa'
const app = new Koa()
app.use(async ctx => {
  await new Promise(resolve => setTimeout(resolve, 50))
  ctx.body = 'page'
})
const server = app.listen(process.env.PORT)
`,
  hono: `import { serve } from '@hono/node-server'
import { Hono } from 'hono'
const app = new Hono()
app.get('/', async c => {
  await new Promise(resolve => setTimeout(resolve, 50))
  return c.text('page')
})
const server = serve({ fetch: app.fetch, port: Number(process.env.PORT) })
`,
  fastify: `import Fastify from 'fastify'
const app = Fastify({ return503OnClosing: false })
app.get('/', async () => {
  await new Promise(resolve => setTimeout(resolve, 50))
  return 'page'
})
await app.listen({ port: process.env.PORT })
const { server } = app
`
}
const ALL = /** @type {const} */ (['cuts', 'hangs', 'short-keep-alive'])

for (const [name, code] of Object.entries(APPS)) {
  t.test(`the lines for ${name} let an app drain`, { buffered: true }, async t => {
    const before = await tryAppEnd(endingApp(t, code))
    t.equal(before.request, 'cuts')
    const lines = listMendLines(name, [...ALL]).flatMap(mend => mend.lines).join('\n')
    // Without their limit, so that a connection which stays open is found.
    const after = await tryAppEnd(endingApp(t, `${code}${lines.replace('8000', '60_000')}\n`))
    t.match(after, { request: 'drains', lateStatus: 200, closesKept: true, keepAliveSeconds: 76 })
    t.same(findAppFaults(after), [])
  })
}

t.test('the lines limit the end with an open stream', { buffered: true }, async t => {
  const code = APPS.express.replace("app.get('/',", `app.get('/events', (req, res) => {
  res.type('text/event-stream')
  setInterval(() => res.write('data: x\\n\\n'), 50)
})
app.get('/',`)
  const [{ lines }] = listMendLines('express', ['hangs'])
  const limited = lines.join('\n').replace('8000', '500')
  t.not(limited, lines.join('\n'))
  const { endSeconds } = await tryAppEnd({ ...endingApp(t, `${code}${limited}`), stream: '/events' })
  t.type(endSeconds.stream, 'number')
})

t.test('prints only the lines that a fault needs, each once', async t => {
  t.equal(listMendLines('koa', ['cuts', 'hangs', 'keeps-open']).length, 1)
  t.match(listMendLines('koa', ['short-keep-alive']), [{ lines: ['server.keepAliveTimeout = 76_000'] }])
  t.match(listMendLines('next', ['hangs']), [{ place: 'instrumentation.js' }])
  t.match(listMendLines('@sveltejs/kit', ['hangs', 'short-keep-alive']),
    [{ lines: ['SHUTDOWN_TIMEOUT=8'] }, { lines: ['KEEP_ALIVE_TIMEOUT=76'] }])
  t.equal(listMendLines('next', ['keeps-open']).length, 0)
  t.equal(listMendLines('next', ['hangs', 'short-keep-alive']).length, 2)
  t.equal(listMendLines('koa', []).length, 0)
  t.equal(listMendLines('constructor', ['cuts']).length, 0)
})

t.test('has lines for frameworks that a project is recognised by', async t => {
  const names = ['express', 'fastify', 'koa', '@nestjs/core', 'hono', 'next', 'nuxt', '@sveltejs/kit']
  for (const name of names) {
    t.ok(FRAMEWORKS.some(({ packages }) => packages.includes(name)), name)
    t.ok(listMendLines(name, ['cuts', 'short-keep-alive']).length >= 2, name)
  }
})
