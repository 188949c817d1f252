/** Tests which files pages, style sheets and scripts request. */
import t from '../../support/tap.js'
import { listImports, listLateLinks, listLinks, listStyleLinks } from '../../../bench/shared/http/page-links.js'

t.test('reads the links of a page to files of its site', async t => {
  const html = `<base href="/app/"><link rel=stylesheet href=a.css><script type=module src='/b.js?v=1&amp;w=2'></script>
    <img alt="x" src="https://cdn.example/c.png"><script src="//cdn.example/d.js"></script><a href="/page">page</a>
    <img src="data:image/png;base64,AA"><link href="../e.ico"><script src="http://[">x</script><link href="a.css">
    <style>p { background: url(f.png) }</style><script type=module>import './g.js'; import('./now.js')</script>`
  t.strictSame(listLinks(html, '/app/deep/page'),
    ['/app/a.css', '/b.js?v=1&w=2', '/e.ico', '/app/now.js', '/app/f.png', '/app/g.js'])
  t.strictSame(listLinks('<script src="app.js"></script>', '/sub/'), ['/sub/app.js'])
})

t.test('reads the fonts, images and sheets of a style sheet', async t => {
  const css = `@import "a.css"; @import url('b.css');
    @font-face { src: url( "../c.woff2" ) format("woff2"), url(d.woff) }
    p { background: url(data:image/png;base64,AA), url(https://cdn.example/e.png) }`
  t.strictSame(listStyleLinks(css, '/css/main.css'), ['/css/a.css', '/css/b.css', '/c.woff2', '/css/d.woff'])
})

t.test('reads the modules that a script imports, and no packages', async t => {
  const script = 'import{a as b}from"./c.js";import"./d.js";export*from\'/e.js\';import f from "react";import("./g.js")'
  t.strictSame(listImports(script, '/assets/main.js'), ['/assets/c.js', '/assets/d.js', '/e.js'])
})

t.test('reads the chunks that a script requests later, as builders write them', async t => {
  /** @type {[builder: string, path: string, script: string, expected: string[]][]} */
  const cases = [
    ['Vite', '/shop/assets/main-Aa1bCdEf.js', 'const m=["assets/About-Aa1bCdEf.js","assets/About-Bb2cDeFg.css"];' +
      'a(()=>import("./About-Aa1bCdEf.js"),__vite__mapDeps([0,1]))',
    ['/shop/assets/About-Aa1bCdEf.js', '/shop/assets/About-Bb2cDeFg.css']],
    ['modules without a builder', '/js/main.js', 'import("./late.js"); import(`./b.js`); const a = "./c.js"',
      ['/js/late.js', '/js/b.js']],
    ['esbuild', '/main-ABCD2345.js', 'import("./chunk-WXYZ2345.js")', ['/chunk-WXYZ2345.js']],
    ['webpack', '/static/js/main.5e8f5c2d.js',
      'r.u=e=>"static/js/"+e+"."+{27:"5e8f5c2d",9:"aabbcc11"}[e]+".chunk.js"',
      ['/static/js/27.5e8f5c2d.chunk.js', '/static/js/9.aabbcc11.chunk.js']],
    ['webpack with names', '/static/js/main.5e8f5c2d.js',
      'r.u=e=>"static/js/"+({27:"about"}[e]||e)+"."+{27:"5e8f5c2d"}[e]+".chunk.js"',
      ['/static/js/about.5e8f5c2d.chunk.js']],
    ['React Router', '/assets/manifest-89fa4a5b.js', 'm={"module":"/assets/about-MXCZQID7.js"}',
      ['/assets/about-MXCZQID7.js']],
    ['Next', '/_next/static/b1/_buildManifest.js',
      'self.m={"/about":["static/chunks/pages/about-5e8f5c2d77889900.js"]}',
      ['/_next/static/chunks/pages/about-5e8f5c2d77889900.js']]
  ]
  for (const [builder, path, script, expected] of cases) t.strictSame(listLateLinks(script, path), expected, builder)
  const others = 'const a = "version.json", b = ".chunk.js", c = "no file-5e8f5c2d.js", d = import(e)'
  t.strictSame(listLateLinks(others, '/js/main.js'), [])
})
