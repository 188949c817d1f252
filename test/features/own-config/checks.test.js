/** Tests the checks of configurations of one's own, and the edits that mend any configuration. */
import { deepStrictEqual, equal } from 'node:assert/strict'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import t from '../../support/tap.js'
import { CHECKS, findCheck } from '../../../bench/features/own-config/checks.js'
import { applyEdits, toPatch } from '../../../bench/features/own-config/mend.js'
import { findAll, getProxyServers, getValue, readTree } from '../../../bench/features/own-config/model.js'
import nginx from '../../../bench/features/own-config/programs/nginx.js'
import { loadBehaviours } from '../../../bench/features/deploy/index.js'

const MAIN = '/etc/nginx/nginx.conf'
const SITE = '/etc/nginx/conf.d/site.conf'
const SHOWN = new Map([[SITE, 'conf.d/site.conf']])
const RUNS = 100

/** Directives that a block of any level can have, and that edits replace. */
const setting = fc.constantFrom('client_max_body_size 1m;', "proxy_set_header Connection 'upgrade';", 'gzip_types *;',
  'proxy_set_header Host $host;', 'proxy_set_header Upgrade $http_upgrade;', 'proxy_buffering on; # kept\n',
  'proxy_cache pages;', 'proxy_cache_valid any 5m;', 'proxy_ignore_headers Set-Cookie Cache-Control;',
  'proxy_read_timeout 5s;', 'proxy_http_version 1.1;', 'proxy_no_cache $cookie_sid;', 'ssl_protocols TLSv1;')
const pass = fc.constantFrom('proxy_pass http://shop;', 'proxy_pass http://shop/;', 'proxy_pass http://web:3000/;',
  'proxy_pass http://web:3000;', 'proxy_pass http://unix:/run/a.sock;', 'set $x web; proxy_pass http://$x:1;')
const path = fc.constantFrom('/', '/a/', '/b', '= /c', '~ ^/d', '@e')
/** Joins directives in one line or in lines of their own. */
const blank = fc.constantFrom(' ', '\n', '\n    ')
const location = fc.tuple(path, fc.array(setting, { maxLength: 3 }), fc.oneof(pass, fc.constant('alias /srv/files/;')),
  blank).map(([path, settings, last, blank]) => `location ${path} {${blank}${[...settings, last].join(blank)}${blank}}`)
const server = fc.tuple(fc.array(setting, { maxLength: 3 }), fc.array(location, { minLength: 1, maxLength: 3 }), blank)
  .map(([settings, locations, blank]) => `server {${blank}${[...settings, ...locations].join(blank)}${blank}}`)
const site = fc.tuple(fc.constantFrom('', '# a comment\n'), fc.array(server, { minLength: 1, maxLength: 2 }))
  .map(([first, servers]) => `${first}upstream shop { server 127.0.0.1:1; server 127.0.0.1:2 backup; }\n` +
    `${servers.join('\n')}\n`)

/**
 * Returns the server blocks of a site with what mends need.
 * @param {string} text
 * @param {boolean} tls
 */
function read (text, tls) {
  const texts = new Map([[SITE, text]])
  const tree = readTree(MAIN, new Map([[MAIN, 'http { include conf.d/*.conf; }'], ...texts]))
  return getProxyServers(tree).filter(({ passes }) => passes.length > 0)
    .map(({ around, passes }) => ({ texts, tree, around, passes, base: '', tls }))
}

/** Returns the blocks of a site. @param {string} text */
const listBlocks = text => findAll(readTree(SITE, new Map([[SITE, text]])), ['upstream', 'server', 'location'])
  .filter(({ directive }) => directive.children).map(({ directive }) => `${directive.name} ${getValue(directive)}`)

t.test('each edit leaves a configuration with the same blocks, and its patch gives the same text', async t => {
  fc.assert(fc.property(site, fc.boolean(), (text, tls) => {
    for (const context of read(text, tls)) {
      for (const { name, mend } of CHECKS) {
        const after = applyEdits(context.texts, mend(context))
        const mended = String(after.get(SITE))
        const toBlocks = (/** @type {string} */ text) =>
          listBlocks(text).map(block => name === 'alias-folder' ? block.replace(/\/$/, '') : block)
        // Thousands of assertions of tap take longer than the edits.
        deepStrictEqual(toBlocks(mended), toBlocks(text), `${name}: ${mended}`)
        const patch = toPatch(context.texts, after, SHOWN)
        equal(patch === '' ? text : applyPatch(text, patch), mended, name)
      }
    }
  }), { numRuns: RUNS })
  t.pass('no block is lost')
})

t.test('all edits one after the other leave a configuration with the same blocks', async t => {
  fc.assert(fc.property(site, text => {
    let mended = text
    for (const { name, mend } of CHECKS.filter(({ name }) => name !== 'alias-folder')) {
      const [context] = read(mended, false)
      if (context) mended = String(applyEdits(context.texts, mend(context)).get(SITE))
      deepStrictEqual(listBlocks(mended), listBlocks(text), `${name}: ${mended}`)
    }
  }), { numRuns: RUNS })
  t.pass('no block is lost')
})

t.test('max_fails=0 is for processes of this host: nginx must skip another host that is gone', t => {
  const mended = (/** @type {string} */ address) => {
    const text = `upstream shop { server ${address} max_fails=2; }\nserver { location / { proxy_pass http://shop; } }\n`
    const [context] = read(text, false)
    return String(applyEdits(context.texts, findCheck('failover', nginx).mend(context)).get(SITE))
  }
  for (const address of ['unix:/run/a.sock', '127.0.0.1:3000', '[::1]:3000', 'localhost:3000', 'app1:3000', 'app1']) {
    t.match(mended(address), `server ${address} max_fails=0;`, address)
  }
  for (const address of ['10.0.0.5:3000', '[2001:db8::1]:3000', 'app1.example.com:3000']) {
    t.match(mended(address), `server ${address} max_fails=2;`, address)
  }
  t.end()
})

t.test('each check is a behaviour with a title, and a sentence about visitors', async t => {
  const behaviours = await loadBehaviours()
  const unknown = CHECKS.filter(({ name, run, title }) => !(run && title) && !behaviours.has(name))
  t.strictSame(unknown.map(({ name }) => name), [])
  t.strictSame(CHECKS.filter(({ sees }) => !/^[A-Z].*\.$/.test(sees)).map(({ name }) => name), [])
})
