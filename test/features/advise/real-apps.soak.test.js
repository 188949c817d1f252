/** Runs hopbench advise --quick on real apps, as a process of its own. Asserts facts, and no sentences. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { APPS, cachedApp } from '../../support/advised-apps.js'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'

/** Limit of an advice, in seconds, with a start of the kit on a busy machine. */
const ADVISE_SECONDS = 900

/**
 * Facts of an app, and decisions that follow from them.
 * framework: as package.json states it; left out: not asserted
 * drains: whether a request in flight gets its response after SIGTERM
 * prefixes: of its folders of files; left out: not asserted
 * poweredBy: header X-Powered-By
 * decisions: by rule
 * kitFault: code, if no kit can be written
 *
 * @typedef {object} Expected
 * @property {string} [framework]
 * @property {boolean} drains
 * @property {string[]} [prefixes]
 * @property {string | null} [poweredBy]
 * @property {Record<string, string>} [decisions]
 * @property {string} [kitFault]
 */
/** @type {Record<string, Expected>} */
const EXPECTED = {
  'node-red': { drains: false },
  astro: { drains: false },
  nuxt: { framework: 'nuxt', drains: false, prefixes: ['/_nuxt'], poweredBy: 'Nuxt' },
  next: { framework: 'next', drains: true, prefixes: ['/_next/static'], poweredBy: 'Next.js' },
  'react-router': { drains: true, decisions: { compression: 'do-not' } },
  sveltekit: { framework: '@sveltejs/kit', drains: true, prefixes: ['/_app'] },
  nest: { framework: '@nestjs/core', drains: false, prefixes: [], poweredBy: 'Express' },
  strapi: { drains: false, prefixes: ['/admin'], poweredBy: 'Strapi <strapi.io>' },
  turbo: { drains: false, poweredBy: 'Express', decisions: { compression: 'do-not' }, kitFault: 'cannot-deploy' },
  flask: { drains: true, prefixes: [], decisions: { 'node-line': 'no-matter' } }
}
/** Check that an app without a graceful end fails, unless nginx is in front. */
const CUT = /\bSIGTERM\b/

for (const [name, expected] of Object.entries(EXPECTED)) {
  t.test(`${name}: its facts, its decisions and its kit are right`, {
    skip: skipWithout('nginx', 'registry', ...name === 'flask' ? /** @type {const} */ (['python']) : [])
  }, async t => {
    const workspace = makeWorkspace(t)
    const dir = await cachedApp(name)
    const out = join(dir, 'deploy')
    rmSync(out, { recursive: true, force: true })
    const { command, path } = APPS[name]
    const app = [...command ? ['--app', command] : [], ...path ? ['--path', path] : []]
    const args = ['advise', ...app, '--quick', '--json', '--results', workspace.results]
    const { exit, stdout, stderr } = await hopbench(args, { workspace, cwd: dir, timeoutSeconds: ADVISE_SECONDS })
    if (!t.equal(exit, 0)) return t.comment(stderr)
    await isAsExpected(t, JSON.parse(stdout), expected)
    t.ok(existsSync(join(out, 'advice.html')))
    await leavesNothing(t, workspace)
  })
}

/**
 * @param {import('tap').Test} t
 * @param {import('../../../bench/types.js').AdviceRecord} record
 * @param {Expected} expected
 */
async function isAsExpected (t, { facts, decisions, risks, kit, checks, notes }, expected) {
  const { framework, drains, prefixes, poweredBy = null, decisions: kinds = {}, kitFault } = expected
  const { app, project, folders } = facts
  if (framework) t.equal(project.framework?.name, framework)
  if (prefixes) t.strictSame(folders.map(({ prefix }) => prefix), prefixes)
  t.strictSame({ drains: app.drains === true, poweredBy: app.poweredBy }, { drains, poweredBy })
  const found = Object.fromEntries(decisions.map(({ rule, decision }) => [rule, decision]))
  t.strictSame(Object.fromEntries(Object.keys(kinds).map(rule => [rule, found[rule]])), kinds)
  const codes = risks.map(({ code }) => code)
  t.equal(new Set(codes).size, codes.length, 'states each risk once')
  t.strictSame(notes.filter(note => /\[[a-z-]+\]$/.test(note)).map(note => note.replace(/^.*\[|\]$/gs, '')),
    kitFault ? [kitFault] : [], 'nothing else failed')
  if (kitFault) return t.equal(kit, null)
  t.ok(checks.length > 0, 'the kit was started')
  const isBehindNginx = kit?.files.includes('nginx.conf') ?? false
  const failed = checks.filter(({ holds }) => !holds).map(({ title }) => title)
  if (drains || isBehindNginx) return t.strictSame(failed, [])
  t.equal(failed.length, 1)
  return t.match(failed[0], CUT)
}
