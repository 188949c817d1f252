/** Setups of the checks by hand: apps and configurations that are written here, not rendered by hopbench. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @import { Setup } from './by-hand.js' */

const project = fileURLToPath(new URL('../..', import.meta.url))
/** App with 1 KB of JSON on the port or socket of its first argument. */
const APP = `import express from ${JSON.stringify(join(project, 'node_modules/express/index.js'))}
const app = express()
const data = { items: Array.from({ length: 16 }, (_, i) => ({ id: i, name: 'item ' + i, text: 'x'.repeat(30) })) }
app.set('trust proxy', 1)
app.get('/', (req, res) => { res.set('Cache-Control', 'public').json(data) })
const [where, reusePort] = process.argv.slice(2)
app.listen(/^\\d+$/.test(where) ? { port: Number(where), host: '127.0.0.1', reusePort: reusePort === 'reuse' } : where)
`
/** Workers of root get another user, who may not read the folder. */
const USER = process.getuid?.() === 0 ? 'user root;\n' : ''
const HEAD = `${USER}worker_processes 1;
daemon off;
pid $DIR/nginx.pid;
error_log $DIR/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path $DIR/b; proxy_temp_path $DIR/p; fastcgi_temp_path $DIR/f; uwsgi_temp_path $DIR/u;
  scgi_temp_path $DIR/s;
  keepalive_requests 1000000;
  sendfile on;
  tcp_nopush on;
`

/**
 * Returns nginx in front of the app.
 *
 * @param {string} nginx program
 * @param {{ port: number, app: number | 'socket', isPooled: boolean, cache?: string }} options cache: lifetime
 * @returns {Setup}
 */
export const createProxied = (nginx, { port, app, isPooled, cache }) => ({
  files: {
    'app.mjs': APP,
    'nginx.conf': `${HEAD}
  ${cache ? 'proxy_cache_path $DIR/cache keys_zone=all:1m;' : ''}
  upstream app {
    server ${app === 'socket' ? 'unix:$DIR/app.sock' : `127.0.0.1:${app}`};
    ${isPooled ? 'keepalive 100; keepalive_requests 1000000;' : ''}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_set_header Connection "${isPooled ? '' : 'close'}";
      ${cache ? `proxy_cache all; proxy_cache_valid 200 ${cache}; proxy_cache_use_stale updating;` : ''}
    }
  }
}
`
  },
  commands: dir => [
    [process.execPath, 'app.mjs', app === 'socket' ? join(dir, 'app.sock') : `${app}`],
    [nginx, '-p', dir, '-c', join(dir, 'nginx.conf')]
  ],
  url: () => `http://127.0.0.1:${port}/`
})

/**
 * Returns processes of the app that share a port.
 *
 * @param {number} port
 * @param {number} processes
 * @returns {Setup}
 */
export const createApps = (port, processes) => ({
  files: { 'app.mjs': APP },
  commands: () => Array.from({ length: processes }, () =>
    [process.execPath, 'app.mjs', `${port}`, processes > 1 ? 'reuse' : 'alone']),
  url: () => `http://127.0.0.1:${port}/`
})

const PAGE = `<!doctype html><title>page</title>${'<p>A line of text for the page.</p>'.repeat(243)}`
/**
 * Returns a page of about 8,500 bytes from nginx, or from express.static.
 *
 * @param {number} port
 * @param {string | null} nginx null: express.static
 * @returns {Setup}
 */
export const createFiles = (port, nginx) => ({
  files: {
    'page.html': PAGE,
    'files.mjs': `import express from ${JSON.stringify(join(project, 'node_modules/express/index.js'))}
const app = express()
app.use(express.static('$DIR', { maxAge: '1h' }))
app.listen(${port}, '127.0.0.1')
`,
    'nginx.conf': `${HEAD}
  types { text/html html; }
  server { listen 127.0.0.1:${port}; location / { root $DIR; expires 1h; } }
}
`
  },
  commands: dir => [nginx === null
    ? [process.execPath, 'files.mjs']
    : [nginx, '-p', dir, '-c', join(dir, 'nginx.conf')]],
  url: () => `http://127.0.0.1:${port}/page.html`
})

const KEY = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
  '-subj', '/CN=localhost', '-keyout', 'key.pem', '-out', 'cert.pem']
/**
 * Returns 1 KB of JSON over TLS, which nginx ends in front of a socket, or Node itself.
 *
 * @param {number} port
 * @param {string | null} nginx null: node:https
 * @returns {Setup}
 */
export const createTls = (port, nginx) => ({
  files: {
    'tls.mjs': `import http from 'node:http'
import https from 'node:https'
import { readFileSync } from 'node:fs'
const body = JSON.stringify({ text: 'x'.repeat(1000) })
const answer = (req, res) => {
  res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length })
  res.end(body)
}
${nginx
    ? "http.createServer(answer).listen('$DIR/app.sock')"
    : `https.createServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') }, answer)
  .listen(${port}, '127.0.0.1')`}
`,
    'nginx.conf': `${HEAD}
  upstream app { server unix:$DIR/app.sock; keepalive 100; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate $DIR/cert.pem;
    ssl_certificate_key $DIR/key.pem;
    location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`
  },
  commands: dir => {
    execFileSync('openssl', KEY, { cwd: dir, stdio: 'ignore', timeout: 30_000 })
    /** @type {[string, ...string[]]} */
    const app = [process.execPath, 'tls.mjs']
    return nginx ? [app, [nginx, '-p', dir, '-c', join(dir, 'nginx.conf')]] : [app]
  },
  url: () => `https://127.0.0.1:${port}/`
})
