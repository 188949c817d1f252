import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { PROJECT } from '../../bench/plugins.js'

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md',
  ...readdirSync(join(PROJECT, 'docs')).filter(name => name.endsWith('.md')).map(name => `docs/${name}`)]

for (const page of pages) {
  const text = readFileSync(join(PROJECT, page), 'utf8')

  t.test(`${page} names existing files`, async t => {
    const named = text.matchAll(/`((?:bench|servers|proxy|nginx|apache|test|docs)\/[\w./-]*(?:\.\w+|\/))`/g)
    for (const path of new Set([...named].map(([, path]) => path))) t.ok(existsSync(join(PROJECT, path)), path)
  })

  t.test(`${page} links to existing files`, async t => {
    const links = new Set([...text.matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].map(([, link]) => link))
    for (const link of links) t.ok(existsSync(join(PROJECT, dirname(page), link)), link)
  })
}
