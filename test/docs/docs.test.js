import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../support/tap.js'
import { PROJECT } from '../../bench/plan/plugins.js'

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md',
  ...readdirSync(join(PROJECT, 'docs')).filter(name => name.endsWith('.md')).map(name => `docs/${name}`),
  ...readdirSync(join(PROJECT, 'bench/features')).map(name => `bench/features/${name}/README.md`)]
const FOLDERS = 'bench|servers|proxy|test|docs|nginx|apache|haproxy|caddy|varnish|envoy|traefik'
/** Path of a file or folder of the project within a text. A path without an extension ends in a slash. */
const PATH = new RegExp(`(?<![\\w./-])(?:${FOLDERS})/[\\w./-]*(?:\\.\\w+|/)`, 'g')

/**
 * Returns the paths in code spans of a page.
 * @param {string} text
 */
const findNamed = text => new Set([...text.matchAll(/`([^`\s]+)`/g)].flatMap(([, span]) => span.match(PATH) ?? []))

/**
 * Returns the targets of a page's links to other pages, without their fragments.
 * @param {string} text
 */
const findLinks = text => new Set([...text.matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].map(([, link]) => link))

t.test('finds paths in code spans and targets of links', async t => {
  const text =
    'The file `bench/none.js` and [a page](none.md#part), [itself](#part), [another site](https://example.com/)'
  t.strictSame([...findNamed(text)], ['bench/none.js'])
  t.strictSame([...findLinks(text)], ['none.md'])
})

for (const page of pages) {
  const text = readFileSync(join(PROJECT, page), 'utf8')

  t.test(`${page} names existing files`, async t => {
    t.strictSame([...findNamed(text)].filter(path => !existsSync(join(PROJECT, path))), [])
  })

  t.test(`${page} links to existing files`, async t => {
    t.strictSame([...findLinks(text)].filter(link => !existsSync(join(PROJECT, dirname(page), link))), [])
  })
}
