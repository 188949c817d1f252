import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../support/tap.js'
import { PROJECT } from '../../bench/plugins.js'

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md',
  ...readdirSync(join(PROJECT, 'docs')).filter(name => name.endsWith('.md')).map(name => `docs/${name}`)]
const FOLDERS = 'bench|servers|proxy|test|docs|nginx|apache|haproxy|caddy|varnish|envoy|traefik'
/** Path of a file or folder of the project within a text. A path without an extension ends in a slash. */
const PATH = new RegExp(`(?<![\\w./-])(?:${FOLDERS})/[\\w./-]*(?:\\.\\w+|/)`, 'g')

for (const page of pages) {
  const text = readFileSync(join(PROJECT, page), 'utf8')

  t.test(`${page} names existing files`, async t => {
    const named = new Set([...text.matchAll(/`([^`\s]+)`/g)].flatMap(([, span]) => span.match(PATH) ?? []))
    for (const path of named) t.ok(existsSync(join(PROJECT, path)), path)
  })

  t.test(`${page} links to existing files`, async t => {
    const links = new Set([...text.matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].map(([, link]) => link))
    for (const link of links) t.ok(existsSync(join(PROJECT, dirname(page), link)), link)
  })
}
