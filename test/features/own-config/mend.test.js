/** Tests the edits of configuration files and their patches. */
import t from '../../support/tap.js'
import { addBefore, addTo, applyEdits, removeDirective, replaceArgument, setDirective, setHeaders, toPatch }
  from '../../../bench/features/own-config/mend.js'
import { findAll, readTree } from '../../../bench/features/own-config/model.js'

const FILE = '/etc/nginx/nginx.conf'
const TEXT = `http {
  server {
    location /a { proxy_pass http://a; }
    location /b {
      proxy_pass http://b; # the app
      proxy_set_header Host 'x';
    }
  }
}
`
const texts = new Map([[FILE, TEXT]])
const tree = readTree(FILE, texts)
/** @param {string} name */
const find = name => findAll(tree, name).map(({ directive }) => directive)
/** @param {import('../../../bench/features/own-config/mend.js').Edit[]} edits */
const edit = edits => String(applyEdits(texts, edits).get(FILE)).split('\n')
  .filter((line, i) => line !== TEXT.split('\n')[i])

t.test('adds a line in the indentation of the block, or in the one line of a block', async t => {
  const [a, b] = find('location')
  t.strictSame(edit(addTo(texts, a, ['x 1;'])), ['    location /a { proxy_pass http://a; x 1; }'])
  t.equal(edit(addTo(texts, b, ['x 1;']))[0], '      x 1;')
  t.equal(edit([addBefore(texts, b, 'map;')])[0], '    map;')
})

t.test('replaces an argument, and removes a directive with its line', async t => {
  t.strictSame(edit([replaceArgument(find('proxy_set_header')[0], 1, '$host')]), ['      proxy_set_header Host $host;'])
  t.equal(applyEdits(texts, [removeDirective(texts, find('proxy_set_header')[0])]).get(FILE),
    TEXT.replace("      proxy_set_header Host 'x';\n", ''))
  t.strictSame(edit([removeDirective(texts, find('proxy_pass')[0])]), ['    location /a {  }'])
})

t.test('sets a directive in place of the one in the block', async t => {
  t.strictSame(edit(setDirective(texts, find('location')[0], 'proxy_pass', 'http://c')),
    ['    location /a { proxy_pass http://c; }'])
})

t.test('sets headers where headers are in force, and else in the server block', async t => {
  const passes = findAll(tree, 'proxy_pass')
  t.strictSame(edit(setHeaders(texts, passes.slice(1), { host: '$host' })), ['      proxy_set_header Host $host;'])
  t.equal(edit(setHeaders(texts, passes.slice(0, 1), { Host: '$host' }))[0], '    proxy_set_header Host $host;')
})

t.test('of edits that overlap one is made', async t => {
  const [pass] = find('proxy_pass')
  t.equal(edit([replaceArgument(pass, 0, 'http://1'), replaceArgument(pass, 0, 'http://2')]).length, 1)
})

t.test('a patch has the paths as typed, and only changed files', async t => {
  const after = applyEdits(texts, [replaceArgument(find('proxy_pass')[0], 0, 'http://c')])
  const shown = new Map([[FILE, 'conf/nginx.conf'], ['/other', 'other']])
  t.equal(toPatch(texts, after, shown), `--- a/conf/nginx.conf
+++ b/conf/nginx.conf
@@ -1,7 +1,7 @@
 http {
   server {
-    location /a { proxy_pass http://a; }
+    location /a { proxy_pass http://c; }
     location /b {
       proxy_pass http://b; # the app
       proxy_set_header Host 'x';
     }
`)
  t.equal(toPatch(texts, texts, shown), '')
})
