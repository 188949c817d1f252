/** Modules that serve files as measured, for projects that use a recommended server (data). */

/** File that holds the code in a project. The suffix makes it an ES module in every project. */
export const STATIC_FILE = 'static-server.mjs'

/** Beginning of every module. @param {string[]} imports */
const toStart = imports => [...imports, '', '// The folder of files beside this module.',
  'const folder = `${import.meta.dirname}/public`'] // eslint-disable-line no-template-curly-in-string

/**
 * Packages and code by server. The settings are those of the plug-in in servers/.
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
    "const app = connect().use(compression()).use(serveStatic(folder, { maxAge: '1h' }))", 'export default app']
  },
  'express-static': {
    packages: ['express'],
    lines: [...toStart(["import express from 'express'"]), 'const app = express()', "app.disable('x-powered-by')",
      "app.use(express.static(folder, { maxAge: '1h' }))", 'export default app']
  },
  'koa-static': {
    packages: ['koa', 'koa-static'],
    lines: [...toStart(["import Koa from 'koa'", "import serve from 'koa-static'"]),
      'const app = new Koa({ proxy: true })', 'app.use(serve(folder, { maxage: 3600_000 }))',
      'export default app.callback()']
  }
}
