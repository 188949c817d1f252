/** Reads the VCL of Varnish, supplies what it lacks, and starts Varnish with it. */
import { readdirSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { isFolder } from '../../../machine/files/system-files.js'
import { addBefore } from '../mend.js'
import { findAll, getValue } from '../model.js'
import { parseConfig } from '../syntax.js'
import { FAILING_RESTART, toWords } from './shared.js'

/** @import { AppAddress, Directive, MendContext, OwnProgram, OwnSubject } from '../types.js' */
/** @import { Edit } from '../mend.js' */

const FOLDER = '/etc/varnish'
/** Port of the official image and of varnishd, because a VCL names none. */
const PORT = 80
const MEMORY = 'malloc,64m'
/** Folder of the instance. */
const INSTANCE = '/tmp/varnish'
/** Texts, long texts, and what is left out: comments and inline C. */
const PARTS = /"[^"\n]*"|\{"([^]*?)"\}|\/\/.*|#.*|\/\*[^]*?\*\/|C\{[^]*?\}C/g
const NO_CACHE = '{ set beresp.uncacheable = true; return (deliver); }'

/** @type {OwnProgram} */
export default {
  name: 'varnish',
  title: 'Varnish',
  mains: ['default.vcl'],
  folders: [FOLDER],
  isOwn: text => /^\s*vcl \d\.\d;/m.test(text),
  toMain: () => `${FOLDER}/default.vcl`,
  parse: (text, file) => parseConfig(withoutComments(text), file),
  includes: ['include'],
  toPath: (path, file) => posix.resolve(path.startsWith('.') ? dirname(file) : FOLDER, path),
  packaged: { names: [] },
  processes: ['varnishd', 'cache-main'],
  isLate: true,

  supply (tree, add) {
    add.list(`the listener :${PORT}`)
    for (const app of getBackends(tree).flatMap(toApp)) add.app(app)
  },

  check: (exec, { main, root }) => exec(['-C', ...toArguments(main, root)]),
  supplyMissing: () => false,

  toRejection (output) {
    const [, message = '', file = null, line = '0'] =
      /Message from VCC-compiler:\s+([^]*?)\('([^']+)' Line (\d+) Pos/.exec(output) ?? []
    const why = message.replaceAll(/\s+/g, ' ').trim()
    return { why: why || 'Varnish rejects it without a reason', file, line: Number(line) }
  },

  start: (main, root) => ['-F', '-a', `:${PORT}`, '-T', 'none', '-s', MEMORY, ...toArguments(main, root)],

  getSites (tree) {
    const backends = getBackends(tree)
    const block = findSub(tree, 'vcl_recv') ?? backends[0]
    const conditions = findAll(tree, 'if').map(({ directive }) => toWords(directive).join(' '))
    const paths = conditions.flatMap(text => [...text.matchAll(/req\.url ~ \^?(\/[\w/-]+)/g)])
      .map(([, path]) => path.replace(/\/$/, ''))
    if (backends.length === 0) return []
    return [{
      host: 'example.com',
      listens: [{ port: PORT, tls: false }],
      passes: backends.map(directive => ({ directive, around: [block] })),
      around: [block],
      bases: [...new Set(paths)],
      apps: backends.flatMap(toApp)
    }]
  },

  checks: {
    'moved-app': {
      sees: 'Every page is 503 after a container of the app was replaced, until the VCL is loaded again.',
      advice: 'Load the VCL again after a container was replaced (varnishreload), or name it by the module dynamic.'
    },
    'large-upload': { sees: 'Large uploads fail.' },
    'forged-address': {
      mend: prepend('vcl_recv', [
        'set req.http.X-Forwarded-For = client.ip;',
        'set req.http.X-Real-IP = client.ip;',
        'set req.http.X-Forwarded-Host = req.http.Host;',
        'set req.http.X-Forwarded-Proto = "http";'
      ])
    },
    'kept-host': { advice: 'Leave out the line that sets req.http.Host.' },
    websocket: {
      findMissing: needsPipe,
      mend: prepend('vcl_pipe', [
        'if (req.http.Upgrade) {',
        '    set bereq.http.Upgrade = req.http.Upgrade;',
        '    set bereq.http.Connection = req.http.Connection;',
        '}'
      ])
    },
    events: { advice: 'Set beresp.do_stream = true, and no beresp.do_gzip for text/event-stream.' },
    'cache-login': { mend: prepend('vcl_backend_response', [`if (beresp.http.Set-Cookie) ${NO_CACHE}`]) },
    'cache-private': {
      mend: prepend('vcl_backend_response',
        [`if (beresp.http.Cache-Control ~ "(?i)\\b(private|no-store)\\b") ${NO_CACHE}`])
    },
    'cache-cookies': {
      // Before the first return that looks into the cache, so that statements before it hold for these requests, too.
      mend: ({ texts, tree }) => (findSub(tree, 'vcl_recv')?.children ?? [])
        .filter(child => hasReturn([child], 'hash')).slice(0, 1)
        .map(child => addBefore(texts, child, 'if (req.http.Cookie || req.http.Authorization) { return (pass); }')),
      advice: 'Set "return (pass)" in vcl_recv for requests with a cookie.'
    },
    'cache-errors': { mend: prepend('vcl_backend_response', [`if (beresp.status >= 500) ${NO_CACHE}`]) },
    failover: { findMissing: needsProcesses, mend: retry },
    'rolling-restart': {
      sees: FAILING_RESTART,
      findMissing: needsProcesses,
      advice: 'Retry in vcl_backend_error, and start varnishd with -p backend_remote_error_holddown=0.'
    },
    'idle-websocket': { findMissing: needsPipe, advice: 'Start varnishd with -p pipe_timeout=3600.' },
    'slow-headers': { advice: 'Start varnishd with -p timeout_req=10.' }
  }
}

/**
 * Returns a text of the same length without comments, in which long texts are texts.
 * @param {string} text
 */
const withoutComments = text => text.replaceAll(PARTS, (part, long) => long !== undefined
  ? ` ${part.slice(1, -1)} `
  : part.startsWith('"') ? part : part.replaceAll(/[^\n]/g, ' '))

/**
 * Returns the arguments of a check and of a start. The modules are those of the program.
 * @param {string} main
 * @param {string} root
 */
function toArguments (main, root) {
  const folders = readdirSync(join(root, 'usr/lib')).map(name => join(root, 'usr/lib', name, 'varnish/vmods'))
  const modules = folders.find(isFolder)
  return ['-f', main, '-n', INSTANCE, ...modules ? ['-p', `vmod_path=${modules}`] : []]
}

/** @param {Directive[]} tree */
const getBackends = tree => tree.filter(({ name, children }) => name === 'backend' && children)

/**
 * @param {Directive[]} tree
 * @param {string} name
 */
const findSub = (tree, name) => tree.find(directive => directive.name === 'sub' && getValue(directive) === name)

/**
 * Returns the address of a backend.
 * @param {Directive} backend
 * @returns {AppAddress[]} at most one
 */
function toApp ({ children = [] }) {
  const find = (/** @type {string} */ name) => children
    .map(child => new RegExp(`^\\.${name}\\s*=\\s*"?([^"]*)`).exec([child.name, ...toWords(child)].join(' '))?.[1])
    .find(value => value)
  const [host, path] = [find('host'), find('path')]
  if (path) return [{ host: null, port: 0, path }]
  return host ? [{ host, port: Number(find('port')) || PORT, path: null }] : []
}

/**
 * Returns whether statements end with an action.
 * @param {Directive[]} tree
 * @param {string} action
 */
const hasReturn = (tree, action) =>
  findAll(tree, 'return').some(({ directive }) => toWords(directive).join('').startsWith(`(${action}`))

/** Requires a pipe, which upgrades need. @param {OwnSubject} subject */
function needsPipe ({ tree }) {
  return hasReturn(tree, 'pipe') ? null : 'it passes on no upgrade'
}

/** Requires a director with several backends. @param {OwnSubject} subject */
function needsProcesses ({ tree }) {
  const added = tree.flatMap(({ children = [] }) => children).filter(({ name }) => name.includes('.add_backend'))
  return added.length > 1 ? null : 'it names one process of the app'
}

/**
 * Returns an edit that adds statements at the beginning of a subroutine.
 * @param {string} name
 * @param {string[]} lines
 * @returns {(context: MendContext) => Edit[]}
 */
function prepend (name, lines) {
  return ({ texts, tree, around: [{ file }] }) => {
    const [first] = findSub(tree, name)?.children ?? []
    if (first) {
      const start = (texts.get(first.file) ?? '').lastIndexOf('\n', first.from - 1) + 1
      const indent = (texts.get(first.file) ?? '').slice(start, first.from)
      return [addBefore(texts, first, lines.join(indent.trim() === '' ? `\n${indent}` : ' '))]
    }
    const end = (texts.get(file) ?? '').length
    const text = `\nsub ${name} {\n${lines.map(line => `    ${line}\n`).join('')}}\n`
    return [{ file, from: end, to: end, text }]
  }
}

/** Sends a request to another backend where one has ended. @param {MendContext} context */
function retry (context) {
  const line = 'if (bereq.retries < 4 && bereq.method ~ "^(GET|HEAD)$") { return (retry); }'
  const known = findSub(context.tree, 'vcl_backend_error')?.children ?? []
  if (known.some(child => toWords(child).join(' ').includes('bereq.retries'))) return []
  return prepend('vcl_backend_error', [line])(context)
}
