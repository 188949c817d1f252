/** Tests by which package a framework is recognised, and what the table states of an app of it. */
import t from '../support/tap.js'
import { FRAMEWORKS, findFramework, getFramework, toStart, withName } from '../../bench/request/frameworks.js'
import { hasHashedName } from '../../bench/shared/http/hashed-names.js'
import { inspectProject, listBuiltFolders } from '../../bench/features/advise/inspect.js'
import { inProject } from '../support/advice.js'

/**
 * A package.json, the title of its framework, the command of the built app, its folders by prefix, a file with a hash
 * in its name, and code with the setting for the proxy in front.
 * @type {{ manifest: Record<string, any>, title: string, start?: string, files?: Record<string, string>,
 *   hashed?: string, trusts?: string, uses?: string }[]}
 */
const APPS = [
  {
    manifest: { dependencies: { next: '16.0.0', express: '5' } },
    title: 'Next.js',
    start: 'next start',
    files: { '/_next/static': '.next/static' },
    hashed: '/_next/static/chunks/main.js'
  },
  {
    manifest: { scripts: { start: 'next start' } },
    title: 'Next.js',
    start: 'next start',
    files: { '/_next/static': '.next/static' }
  },
  {
    manifest: { dependencies: { nuxt: '4.2.2' } },
    title: 'Nuxt',
    start: 'node .output/server/index.mjs',
    files: { '': '.output/public', '/_nuxt': '.output/public/_nuxt' },
    hashed: '/_nuxt/BxGz3s2_.js',
    uses: 'getRequestIP(event)',
    trusts: 'getRequestIP(event, { xForwardedFor: true })'
  },
  {
    manifest: { devDependencies: { '@sveltejs/kit': '2', '@sveltejs/adapter-node': '5', vite: '7' } },
    title: 'SvelteKit',
    start: 'node build',
    files: { '': 'build/client', '/_app': 'build/client/_app' },
    hashed: '/_app/immutable/entry/start.js',
    trusts: '// PROTOCOL_HEADER=x-forwarded-proto node build'
  },
  {
    manifest: { dependencies: { astro: '5', '@astrojs/node': '9' } },
    title: 'Astro',
    start: 'node dist/server/entry.mjs',
    files: { '': 'dist/client', '/_astro': 'dist/client/_astro' },
    hashed: '/_astro/index.css',
    trusts: "export default { security: { allowedDomains: [{ hostname: 'a.example' }] } }"
  },
  {
    manifest: { dependencies: { '@tanstack/react-start': '1', nitro: '3' } },
    title: 'TanStack Start',
    start: 'node .output/server/index.mjs',
    files: { '': '.output/public', '/assets': '.output/public/assets' },
    hashed: '/assets/main-BxGz3s2_.js',
    uses: 'getRequestIP()',
    trusts: 'getRequestIP({ xForwardedFor: true })'
  },
  {
    manifest: { dependencies: { '@react-router/serve': '7', 'react-router': '7' } },
    title: 'React Router',
    start: 'react-router-serve build/server/index.js',
    files: { '': 'build/client', '/assets': 'build/client/assets' },
    hashed: '/assets/root-BxGz3s2_.js',
    trusts: "app.set('trust proxy', 1)"
  },
  {
    manifest: { dependencies: { '@remix-run/serve': '2' } },
    title: 'Remix',
    start: 'remix-serve build/server/index.js',
    files: { '': 'build/client', '/assets': 'build/client/assets' },
    hashed: '/assets/root-BxGz3s2_.js',
    trusts: "app.set('trust proxy', 1)"
  },
  {
    manifest: { name: '@me/shop', dependencies: { '@angular/ssr': '21', express: '5' } },
    title: 'Angular SSR',
    start: 'node dist/shop/server/server.mjs',
    files: { '': 'dist/shop/browser' },
    hashed: '/main-ABCDEFG2.js',
    trusts: "new AngularNodeAppEngine({ allowedHosts: ['a.example'] })"
  },
  {
    manifest: { dependencies: { '@adonisjs/core': '6' } },
    title: 'AdonisJS',
    start: 'node build/bin/server.js',
    files: { '/assets': 'build/public/assets' },
    hashed: '/assets/app-BxGz3s2_.js',
    trusts: 'export const http = defineConfig({ trustProxy: () => true })'
  },
  {
    manifest: { dependencies: { '@nestjs/core': '11', express: '5' } },
    title: 'Nest',
    start: 'node dist/main.js',
    trusts: "app.set('trust proxy', 1)"
  },
  {
    manifest: { devDependencies: { nitropack: '2' } },
    title: 'Nitro',
    start: 'node .output/server/index.mjs',
    files: { '': '.output/public', '/assets': '.output/public/assets' },
    uses: 'getRequestIP(event)',
    trusts: 'getRequestIP(event, { xForwardedFor: true })'
  },
  { manifest: { dependencies: { 'json-server': '1' } }, title: 'json-server' },
  { manifest: { dependencies: { fastify: '5' } }, title: 'Fastify', trusts: 'Fastify({ trustProxy: 1 })' },
  {
    manifest: { dependencies: { hono: '4', '@hono/node-server': '2' } },
    title: 'Hono',
    uses: 'new URL(c.req.url)',
    trusts: "new URL(c.req.url); c.req.header('X-Forwarded-Proto')"
  },
  { manifest: { dependencies: { koa: '3' } }, title: 'Koa', trusts: 'app.proxy = true' },
  { manifest: { dependencies: { express: '5' } }, title: 'Express', trusts: "app.set('trust proxy', 1)" },
  {
    manifest: { dependencies: { h3: '1' } },
    title: 'h3',
    uses: 'getRequestIP(event)',
    trusts: 'getRequestIP(event, { xForwardedFor: true })'
  },
  { manifest: { dependencies: { 'node-red': '5' } }, title: 'Node-RED' },
  { manifest: { devDependencies: { vite: '7' } }, title: 'Vite' }
]

t.test('recognises each framework by package.json, with its folders, its command and its setting', async t => {
  for (const { manifest, title, start = 'node server.js', files = {}, hashed, trusts, uses = 'let a' } of APPS) {
    t.equal(findFramework(manifest)?.framework.title, title)
    t.equal(toStart(manifest), start, title)
    const write = (/** @type {string} */ code) => inProject(t, {
      'package.json': JSON.stringify({ name: 'shop', ...manifest }),
      'src/app.ts': code,
      // Code of the framework itself in its output.
      'dist/a.js': trusts ?? '',
      'build/a.js': trusts ?? ''
    })
    const without = write(uses)
    t.same(Object.fromEntries(listBuiltFolders(without).map(({ prefix, folder }) => [prefix, folder])),
      files, title)
    if (hashed !== undefined) t.ok(hasHashedName(hashed), hashed)
    if (trusts === undefined) continue
    t.equal(inspectProject(without, []).trustsProxy, false, `${title} without its setting`)
    t.equal(inspectProject(write(trusts), []).trustsProxy, true, `${title} with its setting`)
  }
  t.strictSame(new Set(APPS.map(({ title }) => title)), new Set(FRAMEWORKS.map(({ title }) => title)))
})

t.test('code that reads neither scheme nor address needs no setting', async t => {
  for (const name of ['hono', 'h3', 'nuxt']) {
    const dir = inProject(t, { 'package.json': JSON.stringify({ dependencies: { [name]: '1' } }), 'a.js': 'let a' })
    t.equal(inspectProject(dir, []).trustsProxy, true, name)
  }
})

t.test('finds a missing package that builds a server for Node', async t => {
  for (const [name, adapter] of [['@sveltejs/kit', '@sveltejs/adapter-node'], ['astro', '@astrojs/node']]) {
    const inspectWith = (/** @type {string[]} */ ...names) => inspectProject(inProject(t, {
      'package.json': JSON.stringify({ devDependencies: Object.fromEntries(names.map(name => [name, '1'])) })
    }), [])
    t.equal(inspectWith(name).lacksAdapter, true, name)
    t.equal(inspectWith(name, adapter).lacksAdapter, false, adapter)
  }
})

t.test('the line of a setting has the number of proxies in front', async t => {
  const lines = ['express', 'fastify', 'koa', '@sveltejs/kit', '@adonisjs/core', '@react-router/serve'].map(name =>
    getFramework(name).trust?.line(2))
  for (const line of lines) t.match(line, /2/)
  t.equal(withName('dist/NAME/browser', { name: '@me/shop' }), 'dist/shop/browser')
})
