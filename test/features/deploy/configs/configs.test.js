/** Text of the check of configurations, and its published record. */
import { readdirSync, readFileSync } from 'node:fs'
import t from '../../../support/tap.js'
import { printReport } from '../../../../bench/report/terminal.js'
import { loadPlugin, pluginNames } from '../../../../bench/plan/plugins.js'
import { configsKind } from '../../../../bench/features/check/kind.js'
import { getSubjects, listNotOffered, loadBehaviours } from '../../../../bench/features/deploy/configs/study.js'

/** @import { ConfigsRecord } from '../../../../bench/types.js' */

const read = (/** @type {string} */ file) => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')
/** @type {ConfigsRecord} */
const published = JSON.parse(read('results/reference/configs.json'))

t.test('the published record has every behaviour and subject, and no behaviour fails', async t => {
  const behaviours = await loadBehaviours()
  t.strictSame(published.behaviours, [...behaviours].map(([name, { title }]) => ({ name, title })))
  const subjects = published.subjects.map(({ name, kind }) => ({ name, kind }))
  // A program that a third party has built is not recommended, so the record may omit it.
  const fromWheels = new Set()
  for (const name of pluginNames('proxy')) {
    if ((await loadPlugin('proxy', name)).default.about.wheel) fromWheels.add(name)
  }
  t.strictSame(subjects, getSubjects().filter(({ name }) =>
    !fromWheels.has(name) || subjects.some(subject => subject.name === name)))
  t.equal(published.cells.length, published.behaviours.length * published.subjects.length)
  t.strictSame(published.cells.filter(({ outcome }) => outcome === 'fails'), [])
})

t.test('no two files have a behaviour of the same name', async t => {
  const folder = new URL('../../../../bench/features/deploy/behaviours/', import.meta.url)
  const modules = await Promise.all(readdirSync(folder).map(file => import(new URL(file, folder).href)))
  const names = modules.flatMap(module => Object.keys(module.default))
  t.strictSame(names.sort(), [...(await loadBehaviours()).keys()])
})

t.test('docs/deploy.md has the published behaviours, the versions, and where a behaviour is not offered', async t => {
  const page = read('docs/deploy.md').replace(/\s+/g, ' ')
  for (const { name, title } of published.behaviours) {
    const without = published.cells.filter(({ behaviour, outcome }) => behaviour === name && outcome === 'not-offered')
      .map(({ subject }) => subject).join(', ')
    const item = `- ${name}: ${title}${without && ` (not ${without})`} `
    t.ok(page.includes(item), item)
  }
  for (const { version } of published.subjects) t.ok(page.includes(version), version)
})

t.test('the text fits into 80 columns', async t => {
  const lines = printReport(published, configsKind).split('\n')
  t.strictSame(lines.filter(line => line.length > 80), [])
})

t.test('names each fault with its subject, and counts faults among the behaviours that were tried', async t => {
  /** @type {ConfigsRecord} */
  const record = {
    ...published,
    subjects: [{ name: 'nginx', kind: 'proxy', version: '1.22.1' }, { name: 'fly', kind: 'kit', version: '1.22.1' }],
    behaviours: [{ name: 'cookies', title: 'no page is shared' }, { name: 'tls', title: 'TLS works' }],
    cells: [
      { behaviour: 'cookies', subject: 'nginx', outcome: 'fails', detail: 'bob got the page of alice' },
      { behaviour: 'cookies', subject: 'fly', outcome: 'holds', detail: null },
      { behaviour: 'tls', subject: 'nginx', outcome: 'holds', detail: null },
      { behaviour: 'tls', subject: 'fly', outcome: 'not-offered', detail: 'the router ends TLS' }
    ]
  }
  const text = printReport(record, configsKind)
  t.match(text, '1 of 3 behaviours fail.')
  t.match(text, /nginx\nversion +1\.22\.1\ncookies +FAILS\ntls +holds\n/)
  t.match(text, /fly\nnginx +1\.22\.1\ncookies +holds\ntls +–\n/)
  t.match(text, '\nnginx, cookies: bob got the page of alice\n')
  t.match(text, '\nfly, tls: the router ends TLS\n')
})

t.test('config prints why the recommended configuration does not offer a behaviour', async t => {
  for (const subject of published.subjects) {
    const cells = published.cells.filter(cell => cell.subject === subject.name && cell.outcome === 'not-offered')
    t.strictSame(await listNotOffered(subject), [...new Set(cells.map(({ detail }) => detail))], subject.name)
  }
})
