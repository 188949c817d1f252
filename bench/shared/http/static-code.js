/** Modules that serve files with recommended settings, for projects that use a recommended server (data). */

/** File that holds the code in a project. The suffix makes it an ES module in every project. */
export const STATIC_FILE = 'static-server.mjs'

/** Sends Vary, because the response depends on Accept-Encoding. */
const VARY = "setHeaders: res => { res.setHeader('Vary', 'Accept-Encoding') }"

/** Beginning of every module. @param {string[]} imports */
const toStart = imports => [...imports, '',
  'const folder = `${import.meta.dirname}/public`'] // eslint-disable-line no-template-curly-in-string

/**
 * Packages and code by server. The settings are those of the plug-in in servers/, in its recommended form.
 * @type {Record<string, { packages: string[], lines: string[] }>}
 */
export const STATIC_CODE = {
  'connect-static': {
    packages: ['connect', 'serve-static'],
    lines: [...toStart(["import connect from 'connect'", "import serveStatic from 'serve-static'"]),
      "const app = connect().use(serveStatic(folder, { maxAge: '1h' }))", 'export default app']
  },
  'connect-compression': {
    packages: ['connect', 'compression', 'serve-static'],
    lines: [...toStart(["import compression from 'compression'", "import connect from 'connect'",
      "import serveStatic from 'serve-static'"]),
    'const app = connect().use(compression())',
    `app.use(serveStatic(folder, { maxAge: '1h', ${VARY} }))`, 'export default app']
  },
  'express-static': {
    packages: ['express'],
    lines: [...toStart(["import express from 'express'"]), 'const app = express()', "app.disable('x-powered-by')",
      "app.use(express.static(folder, { maxAge: '1h' }))", 'export default app']
  },
  'fastify-static': {
    packages: ['fastify', '@fastify/static'],
    lines: [...toStart(["import fastify from 'fastify'", "import fastifyStatic from '@fastify/static'"]),
      'const app = fastify({ trustProxy: true })', 'app.register(fastifyStatic, {',
      "  root: folder, preCompressed: true, maxAge: '1h', dotfiles: 'ignore'", '})',
      'await app.ready()', 'export default app.routing']
  },
  'koa-static': {
    packages: ['koa', 'koa-static'],
    lines: [...toStart(["import Koa from 'koa'", "import serve from 'koa-static'"]),
      'const app = new Koa({ proxy: true })', 'app.use(async (ctx, next) => {', '  await next()',
      '  if (ctx.fresh) ctx.status = 304', '})',
      `app.use(serve(folder, { maxage: 3600_000, ${VARY} }))`, 'export default app.callback()']
  }
}
