import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const project = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md',
  ...readdirSync(join(project, 'docs')).filter(name => name.endsWith('.md')).map(name => `docs/${name}`)]

for (const page of pages) {
  const text = readFileSync(join(project, page), 'utf8')

  t.test(`${page} names existing files`, async t => {
    const named = text.matchAll(/`((?:bench|servers|proxy|nginx|apache|test|docs)\/[\w./-]*(?:\.\w+|\/))`/g)
    for (const path of new Set([...named].map(([, path]) => path))) t.ok(existsSync(join(project, path)), path)
  })

  t.test(`${page} links to existing files`, async t => {
    const links = new Set([...text.matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].map(([, link]) => link))
    for (const link of links) t.ok(existsSync(join(project, dirname(page), link)), link)
  })
}
