/** Tests how configurations of all programs are recognised and read, and the edits that mend any of them. */
import { deepStrictEqual, equal } from 'node:assert/strict'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import t from '../../support/tap.js'
import { getChecks } from '../../../bench/features/own-config/checks.js'
import { applyEdits, toPatch } from '../../../bench/features/own-config/mend.js'
import { findAll, readTree } from '../../../bench/features/own-config/model.js'
import { getProgram, PROGRAMS } from '../../../bench/features/own-config/programs/index.js'
import { toWords } from '../../../bench/features/own-config/programs/shared.js'

/** @import { Directive, OwnProgram } from '../../../bench/features/own-config/types.js' */

const RUNS = 50
/** A site of each program, in which any of its settings replaces SETTINGS. */
const SITES = {
  caddy: {
    text: '{\n\temail a@b.example\n}\n\n(common) {\n\tencode gzip\n}\n\na.example, b.example {\n\timport common\n' +
      'SETTINGS\n}\n',
    settings: ['\treverse_proxy app:3000', '\treverse_proxy /api/* a:1 b:2 {\n\t}', '\t# reverse_proxy x:1',
      '\treverse_proxy {\n\t\tto a:1 b:2\n\t\theader_up Host x\n\t\theader_up X-Forwarded-For {header.X}\n\t}',
      '\thandle_path /x/* {\n\t\treverse_proxy unix//run/a.sock\n\t}',
      '\trespond "a } b { c"', '\ttls {\n\t\tprotocols tls1.0\n\t}']
  },
  haproxy: {
    text: 'global\n    daemon\ndefaults\n    mode http\n    timeout client 5s\nfrontend f\n    bind :80\n' +
      '    bind :443 ssl crt /x.pem\n    default_backend b\nbackend b\nSETTINGS\n    server s app:3000 check\n',
    settings: ['    option forwardfor', '    balance roundrobin # a comment', '    timeout tunnel 1s',
      '    http-request set-header X-Forwarded-Proto https', '    server t "other":1', '    option redispatch 1',
      '    compression type text/html text/event-stream']
  },
  apache: {
    text: 'LoadModule proxy_module modules/mod_proxy.so\n<VirtualHost *:443>\n    ServerName a.example\n' +
      '    SSLEngine on\nSETTINGS\n    ProxyPass / http://app:3000/\n</VirtualHost>\n',
    settings: ['    SSLProtocol all',
      '    <Location "/api">\n        ProxyPass http://api:1/ \\\n            retry=5\n    </Location>',
      '    RequestHeader set X-Forwarded-Proto "http"', '    ProxyPass /w ws://w:1/', '    # </VirtualHost>',
      '    <Proxy balancer://p>\n        BalancerMember http://a:1 retry=9\n        BalancerMember http://b:2\n' +
        '    </Proxy>',
      '    ProxyPass /p balancer://p', '    CacheStorePrivate On',
      '    AddOutputFilterByType DEFLATE text/event-stream']
  },
  varnish: {
    text: 'vcl 4.1;\nbackend a { .host = "app"; .port = "1"; }\nbackend b {\n  .path = {"/run/a;b.sock"};\n}\n' +
      'SETTINGS\n',
    settings: ['sub vcl_recv {\n  if (req.url ~ "^/a;{b") { return (hash); }\n}', '/* sub vcl_recv { */',
      'sub vcl_backend_response { set beresp.ttl = 1m; }', '// backend c {', 'sub vcl_backend_error {}',
      'sub vcl_pipe {\n  # empty {\n}']
  }
}

/** Returns the blocks of a configuration. @param {Directive[]} tree */
const listBlocks = tree => findAll(tree, [...new Set(listNames(tree))]).filter(({ directive }) => directive.children)
  .map(({ directive }) => [directive.name, ...toWords(directive)].join(' '))

/**
 * @param {Directive[]} tree
 * @returns {string[]}
 */
const listNames = tree => tree.flatMap(({ name, children = [] }) => [name, ...listNames(children)])

/**
 * Reads a text as its program does.
 * @param {OwnProgram} program
 * @param {string} text
 */
function read (program, text) {
  const main = program.toMain(text, program.mains[0]) ?? program.folders[0]
  const texts = new Map([[main, text]])
  return { main, texts, tree: readTree(main, texts, program) }
}

for (const [name, { text, settings }] of Object.entries(SITES)) {
  const program = getProgram(name)
  t.test(`each edit of ${name} leaves the blocks that were there, and its patch gives the same text`, async t => {
    const site = fc.uniqueArray(fc.constantFrom(...settings), { maxLength: 4 })
      .map(settings => text.replace('SETTINGS', () => settings.join('\n')))
    fc.assert(fc.property(site, text => {
      const { main, texts, tree } = read(program, text)
      for (const { around, passes } of program.getSites(tree, '').filter(({ passes }) => passes.length > 0)) {
        for (const { name, mend } of getChecks(program)) {
          const after = applyEdits(texts, mend({ texts, tree, around, passes, base: '', tls: true }))
          const mended = String(after.get(main))
          const blocks = listBlocks(read(program, mended).tree)
          // Thousands of assertions of tap take longer than the edits.
          deepStrictEqual(listBlocks(tree).filter(block => !blocks.includes(block)), [], `${name}: ${mended}`)
          const patch = toPatch(texts, after, new Map([[main, 'x']]))
          equal(patch === '' ? text : applyPatch(text, patch), mended, name)
        }
      }
    }), { numRuns: RUNS })
    t.pass('no block is lost')
  })

  t.test(`edits of ${name} replace only their own places`, async t => {
    const { texts, tree } = read(program, text.replace('SETTINGS', () => settings.join('\n')))
    const directives = findAll(tree, listNames(tree)).map(({ directive }) => directive)
    const [source] = texts.values()
    const wrong = directives.filter(({ name, from, line }) =>
      !source.slice(from).toLowerCase().replace(/^</, '').startsWith(name.toLowerCase().replace(/"/g, '')) ||
      source.slice(0, from).split('\n').length !== line)
    t.strictSame(wrong.map(({ name, line }) => `${name}:${line}`), [])
  })
}

t.test('any text is read without an error, and each program reads its own', async t => {
  const sign = fc.constantFrom('{', '}', '"', "'", '`', '\\', '\n', '#', '<', '>', '/*', '*/', ';', 'import a',
    'frontend f',
    'sub x', '<VirtualHost *:80>', '</VirtualHost>', 'reverse_proxy a:1', 'backend b', 'server s a:1', ' ',
    'ProxyPass / http://a/')
  fc.assert(fc.property(fc.array(sign, { maxLength: 30 }).map(signs => signs.join('')), text => {
    for (const program of PROGRAMS) equal(Array.isArray(program.getSites(read(program, text).tree, '')), true)
  }), { numRuns: RUNS })
  const texts = Object.entries(SITES)
    .map(([name, { text, settings }]) => [name, text.replace('SETTINGS', settings[0])])
  for (const [name, text] of [...texts, ['nginx', 'server { location / { proxy_pass http://a; } }']]) {
    t.equal(PROGRAMS.find(({ isOwn }) => isOwn(text, 'saved.txt'))?.name, name)
  }
  t.equal(PROGRAMS.find(({ isOwn }) => isOwn('{ "name": "x" }', 'package.json')), undefined)
})

/** Messages of programs with the reason and the line that they give. @type {[string, string, string, number][]} */
const MESSAGES = [
  ['caddy', 'Error: adapting config using caddyfile: /etc/caddy/Caddyfile:2: unrecognized directive: x',
    'unrecognized directive: x', 2],
  ['caddy', 'Error: parsing: module not registered: dns.y, at /etc/caddy/Caddyfile:3',
    'parsing: module not registered: dns.y', 3],
  ['haproxy', '[NOTICE] (1) : v\n[ALERT]    (8) : config : parsing [/etc/haproxy/haproxy.cfg:5] : unknown keyword.',
    'unknown keyword', 5],
  ['apache', "AH00526: Syntax error on line 4 of /etc/apache2/apache2.conf:\nInvalid command 'X', perhaps\n",
    "Invalid command 'X', perhaps", 4],
  ['varnish', "Message from VCC-compiler:\nExpected one of\n\t'acl'\nFound: 'x' at\n" +
    "('/etc/varnish/default.vcl' Line 6 Pos 1)\nx",
  "Expected one of 'acl' Found: 'x' at", 6]
]

t.test('a message of a program is read with its line', async t => {
  for (const [name, output, why, line] of MESSAGES) {
    const rejection = getProgram(name).toRejection(output)
    t.strictSame([rejection.why, rejection.line, rejection.file !== null], [why, line, true])
  }
})
